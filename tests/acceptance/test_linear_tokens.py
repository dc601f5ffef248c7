"""What a long session costs: its tokens grow as the conversation does, however much of it is remembered."""

from pathlib import Path

import pytest
from support.daemons import client, idle, running
from support.fake_model import serving
from support.faults_profile import dice, pick
from support.priced import WORDS, PricedAgent, config, keeping
from support.talk import turn

MOST = 4.4  #: times the tokens for four times the turns


@pytest.mark.timeout(600)
async def test_four_times_the_turns_cost_at_most_4_4_times_the_tokens(tmp_path: Path) -> None:
    random = dice("linear")
    few = pick(quick=45, full=250)
    every = pick(quick=1, full=5)
    async with serving(keeping(every, random)) as fake:
        agent = PricedAgent(fake.url)
        async with running(tmp_path, agent=agent, config=config()) as daemon, client(daemon) as one:
            agent.ledger = daemon.ledger
            tokens = {}
            for number in range(1, 4 * few + 1):
                await turn(one, f"Look at {' '.join(random.sample(WORDS, 20))}.", cwd=str(tmp_path))
                if number % 3 == 0 or number == few:
                    await idle(daemon)
                tokens[number] = sum(fake.tokens)
            stats = await one.call("worker.stats", timeout=5)
    assert stats.total_completed >= 4 * few // every // 2  # facts were kept
    assert (stats.tokens_in, stats.tokens_out) == fake.tokens
    print(f"tokens({few}) = {tokens[few]}, tokens({4 * few}) = {tokens[4 * few]}: {tokens[4 * few] / tokens[few]:.2f}")
    assert tokens[4 * few] <= MOST * tokens[few]
