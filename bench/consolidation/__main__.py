"""`python bench/consolidation`: memory agents side by side on the labelled conversations.

python bench/consolidation --agent rules --agent model --model openai:NAME --base-url http://127.0.0.1:8080/v1
python bench/consolidation --set held --agent command --command "claude -p"
"""

import argparse
import contextlib
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(_ROOT), str(_ROOT / "tests")]  # the made-up secrets of the tests serve here too

from support.local_model import serving  # noqa: E402

from bench.consolidation import cells  # noqa: E402
from bench.consolidation.agents import Asking, without_model  # noqa: E402
from bench.consolidation.playing import Played, play, score  # noqa: E402
from bench.consolidation.talks import SETS, Talk, load  # noqa: E402
from memoryd.worker.agents.brief import Settings, Way  # noqa: E402
from memoryd.worker.ports import MemoryAgent  # noqa: E402


def main(argv: Sequence[str] | None = None) -> int:
    options = _options(argv)
    talks = _chosen(load(options.set), options.every, options.limit)
    with serving(options.gguf) if options.gguf else contextlib.nullcontext() as local:
        if local:
            options.base_url = local.url
        agents = {name: _agent(name, options) for name in options.agent or ["rules"]}
        columns = {name: _column(agent, talks, split=options.split) for name, agent in agents.items()}
    print(f"\n{options.set}: {len(talks)} conversations, {sum(len(talk.sessions) for talk in talks)} runs an agent\n")
    print("\n".join(_table(columns)))
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python bench/consolidation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--set", choices=SETS, default="dev", help="held is only ever scored")
    parser.add_argument(
        "--agent", action="append", choices=("mute", "parrot", "rules", "model", "command"), help="a column"
    )
    parser.add_argument("--model", default="", help="provider:name")
    parser.add_argument("--base-url", default="", help="of an OpenAI-compatible endpoint")
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="weights that are served here (extra test-model)")
    parser.add_argument("--key-env", default="", metavar="NAME", help="the variable that holds the key")
    parser.add_argument("--command", default="", help="argv of a program, as in a shell")
    parser.add_argument("--way", choices=get_args(Way), help="in which the endpoint answers; it is tried else")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="of one run")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="the first N conversations")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth conversation")
    parser.add_argument("--split", action="store_true", help="show what was missed and what is too much (dev alone)")
    options = parser.parse_args(argv)
    if options.split and options.set != "dev":
        parser.error("held is only ever scored: --split shows items, use it with --set dev")
    return options


def _chosen(talks: list[Talk], every: int, limit: int) -> list[Talk]:
    return talks[::every][: limit or None]


def _agent(name: str, options: argparse.Namespace) -> MemoryAgent:
    if name not in ("model", "command"):
        return without_model(name)
    return Asking(
        Settings(
            kind=name, model=options.model, base_url=options.base_url, key=os.environ.get(options.key_env, ""),
            command=tuple(shlex.split(options.command)), timeout_seconds=options.timeout,
            way=options.way,
        )
    )  # fmt: skip


def _column(agent: MemoryAgent, talks: Sequence[Talk], *, split: bool) -> dict[str, str]:
    played = []
    for talk in talks:
        played.append(play(talk, agent))
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if split:
        print("\n".join(line for one in played for line in _misses(one)))
    total = score(played)
    shown = cells(total) | {"seconds a conversation": f"{total.seconds / max(total.talks, 1):.2g}"}
    return shown | (_asked(agent, total.found) if isinstance(agent, Asking) else {})


def _asked(agent: Asking, found: int) -> dict[str, str]:
    till = agent.till
    return {
        "calls": str(till.calls),
        "tokens in, out": f"{till.spent_on.tokens_in}, {till.spent_on.tokens_out}",
        "tokens a kept fact": f"{till.tokens / found:.0f}" if found else "-",
        "runs without an answer": ", ".join(f"{code} {n}" for code, n in sorted(agent.faults.items())) or "0",
    }


def _misses(one: Played) -> Iterator[str]:
    told = {"missed": one.missed, "junk": one.junk, "stale": one.stale, "obeyed": one.obeyed}
    rows = [f"  {what} {item!r}" for what, items in told.items() for item in items]
    if rows or one.leaked:
        yield from (f"\n{one.talk.id}", *rows, *(["  a secret leaked"] if one.leaked else []))


def _table(columns: dict[str, dict[str, str]]) -> Iterator[str]:
    yield f"| | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for what in dict.fromkeys(name for shown in columns.values() for name in shown):
        yield f"| {what} | {' | '.join(shown.get(what, '') for shown in columns.values())} |"


if __name__ == "__main__":
    sys.exit(main())
