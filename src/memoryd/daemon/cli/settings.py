"""config: the effective settings and where each comes from."""

import json as json_module
from enum import StrEnum
from typing import Annotated, Any

import typer

from memoryd.daemon import config as configuration
from memoryd.daemon.cli import agent, asking, screen
from memoryd.daemon.cli.root import MORE, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.ipc import places as placing


class About(StrEnum):
    AGENT = "agent"


@app.command(rich_help_panel=MORE)
def config(
    about: Annotated[About | None, typer.Argument(help="agent: which memory agent works, with what, and why.")] = None,
    json: Json = False,
) -> None:
    """Show the effective settings and where each comes from.

    A key is set in config.toml or by MEMORYD_<SECTION>__<KEY>; the running daemon takes changes within a minute.

    Example: [cyan]MEMORYD_CONSOLIDATION__INTERVAL_TURNS=1 memoryd config[/]
    """
    if about is About.AGENT:
        return agent.show(json)
    path = placing.find().config
    settings = configuration.load(path).model_dump(mode="json")
    sources = configuration.sources(path)
    if json:
        print(json_module.dumps({"settings": settings, "sources": sources}, ensure_ascii=False))
        return None
    places = asking.places()
    screen.say(f"file    {path}{'' if path.exists() else ' (not there: defaults)'}")
    screen.say(f"data    {places.data}\nsocket  {places.socket}")
    rows = [
        (f"{section}.{key}", _value(value), sources.get(f"{section}.{key}", "default"))
        for section, table in settings.items()
        for key, value in table.items()
    ]
    screen.show(screen.table(_COLUMNS, rows))
    return None


_COLUMNS = (
    Column(title="key", fold=True),
    Column(title="value", fold=True),
    Column(title="from", fold=True, columns=screen.NARROW),
)


def _value(value: Any) -> str:
    return "-" if value is None else json_module.dumps(value, ensure_ascii=False)
