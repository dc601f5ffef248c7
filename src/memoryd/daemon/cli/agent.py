"""config agent: which memory agent works, with what, and why."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

from memoryd.daemon import choosing
from memoryd.daemon import config as configuration
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.ways import Ways
from memoryd.errors import NoDaemon
from memoryd.ipc import places as placing
from memoryd.ipc.methods.agent import AgentInfo
from memoryd.worker.agents import providers


def show(json: bool) -> None:
    """Print what the daemon answers; without one, what it would with this environment."""
    try:
        found: AgentInfo = asking.ask("agent.get")
    except NoDaemon:
        found = _without_daemon()
        screen.warn("no daemon runs; this is what it would use if it were started with this environment")
    if json:
        screen.as_json(found)
        return
    screen.say("\n".join(f"{name:<8} {text}" for name, text in _lines(found) if text))


def _without_daemon() -> AgentInfo:
    config = configuration.load(placing.find().config)
    places = configuration.places_of(config)
    return choosing.report(config, os.environ, places.config.parent, Ways(data=places.data).all)


def _lines(found: AgentInfo) -> Iterator[tuple[str, str]]:
    yield "agent", found.kind
    yield "why", found.why
    if found.kind == "rules":
        yield "costs", "nothing: no model is asked"
        return
    at = f" at {found.base_url}" if found.base_url else ""
    yield found.kind, " ".join(found.command) if found.kind == "command" else f"{found.model}{at}"
    if found.kind == "model":
        yield "key", f"from {found.key}" if found.key else "none is sent" if found.base_url else ""
        yield "proxy", found.proxy
        yield "answers", f"by {found.way}" if found.way else "in a way that the first run finds out"
    yield "cage", found.cage
    yield "a run", _at_most(found)
    yield "a day", f"at most ${found.usd_per_day:.2f}, by the prices that are known; `memoryd usage` says what is spent"
    yield "problem", found.problem or ""


def _at_most(found: AgentInfo) -> str:
    bounds = f"at most {found.max_steps} calls, {found.tokens_per_run} tokens, {found.timeout_seconds:g} s"
    return f"{bounds}, {_price(found)}" if found.kind == "model" else bounds


def _price(found: AgentInfo) -> str:
    if find_spec("genai_prices") is None:
        return "price unknown"
    from memoryd.worker.agents.model.prices import price_at_most

    try:
        usd = price_at_most(providers.endpoint(found.model, found.base_url), found.tokens_per_run)
    except ValueError:
        return "price unknown"
    return f"${usd:.2f}" if usd else "price unknown: it counts as $0"
