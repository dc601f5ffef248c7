"""What a long session costs: its tokens grow as the conversation does, however much of it is remembered."""

from pathlib import Path

import pytest
from support.daemons import client, idle, running
from support.fake_model import serving
from support.faults_profile import dice, pick
from support.priced import WORDS, PricedAgent, config, keeping
from support.talk import turn

MOST = 4.4  #: times the tokens for four times the turns
TURNS = 3  #: of a run


@pytest.mark.timeout(600)
async def test_four_times_the_turns_cost_at_most_4_4_times_the_tokens(tmp_path: Path) -> None:
    random = dice("linear")
    before = pick(quick=24, full=0)  # the short profile begins with a memory that is not small any more
    few = pick(quick=18, full=250)
    every = pick(quick=1, full=5)  # so many texts of the user, and one becomes a memory
    async with serving(keeping(every)) as fake:
        agent = PricedAgent(fake.url)
        async with running(tmp_path, agent=agent, config=config()) as daemon, client(daemon) as one:
            agent.ledger = daemon.ledger
            spent = {0: 0}
            for number in range(1, before + 4 * few + 1):
                await turn(one, f"Look at {' '.join(random.sample(WORDS, 20))}.", cwd=str(tmp_path))
                if number % TURNS == 0:
                    await idle(daemon)
                spent[number] = sum(fake.tokens)
            await idle(daemon)
            stats = await one.call("worker.stats", timeout=5)
    assert stats.total_completed > few // max(every, TURNS)  # what was kept was written
    assert (stats.tokens_in, stats.tokens_out) == fake.tokens
    fewer, more = (spent[before + turns] - spent[before] for turns in (few, 4 * few))
    print(f"tokens({few}) = {fewer}, tokens({4 * few}) = {more}: {more / fewer:.2f}")
    assert more <= MOST * fewer
