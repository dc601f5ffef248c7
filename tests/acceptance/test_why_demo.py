"""Over the whole demo: each active line of memory has a quote that is found, word for word, in the journal."""

import json
from pathlib import Path

from support.installation import reading, rows

from memoryd.daemon.demo import replay
from memoryd.daemon.demo.replay import Checks, Stage


def test_each_active_line_of_the_demo_has_a_quote_that_is_found_in_the_journal(tmp_path: Path) -> None:
    with Stage(tmp_path / "demo") as stage:
        replay.replay(stage, replay.read_script(), Checks())
        lines = replay.active_lines(stage)
        found = {place: stage.why(*place) for place in lines}
        kinds = {name.rpartition("/")[0] or name for name, _ in lines}
        with reading(stage.places.data / "state.db") as connection:
            said = {
                seq: list(_strings(json.loads(data))) for seq, data in rows(connection, "select seq, data from events")
            }
    assert len(lines) > 20
    assert {"user", "project", "project/knowledge", "project/sessions"} <= kinds
    for place, items in found.items():
        assert items, place
        for item in items:
            assert item.quote, (place, item)
            assert any(item.quote in text for text in said[item.seq]), (place, item)
            assert item.active, place
    facts = [
        item for (name, _), items in found.items() if "sessions/" not in name and "MEMORY" not in name for item in items
    ]
    assert {item.tier for item in facts} == {"user"}


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]
