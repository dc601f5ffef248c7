"""The simulated user says what it should, and what it is told is held against the truth."""

import json
from pathlib import Path

import pytest

from bench.days.life import OWN, Life, Truth, read
from bench.days.living import held_against, sizes


def test_the_same_seed_makes_the_same_days_and_another_one_others() -> None:
    phrases = read(OWN)
    assert list(Life(7, phrases, 20)) == list(Life(7, phrases, 20))
    assert list(Life(7, phrases, 20)) != list(Life(8, phrases, 20))


def test_sixty_days_hold_two_hundred_sessions_both_languages_and_changes() -> None:
    days = list(Life(7, read(OWN)))
    prompts = [turn.prompt for day in days for talk in day.talks for turn in talk.turns]
    assert sum(len(day.talks) for day in days) >= 200
    assert any(not prompt.isascii() for prompt in prompts)
    assert len(days[-1].truth.gone) >= 5
    assert all(days[-1].truth.now[key] not in values for key, values in days[-1].truth.gone.items())


def test_what_is_true_was_said_and_what_was_replaced_was_said_before() -> None:
    said = ""
    for day in Life(7, read(OWN)):
        said += "\n".join(turn.prompt for talk in day.talks for turn in talk.turns)
        said += "\n".join(saved.text for saved in day.beside.saves)
        assert all(words in said for words in day.truth.now.values())
        assert all(words in said for values in day.truth.gone.values() for words in values)


def test_a_replaced_value_counts_but_for_a_line_that_tells_of_the_change() -> None:
    truth = Truth(now={("", "editor"): "Zed", ("", "city"): "Lisbon"}, gone={("", "editor"): ("Helix",)})
    told = {"lantern": "- The user moved from Helix to Zed\n"}
    assert held_against(truth, told) == (2, ("city: Lisbon",), ())
    told = {"lantern": "- The user lives in Lisbon\n- The editor is Helix\n- The editor is Zed\n"}
    assert held_against(truth, told) == (2, (), ("editor: Helix",))


def test_a_historical_entry_is_no_active_memory(tmp_path: Path) -> None:
    folder = tmp_path / "user" / "memory" / "knowledge"
    folder.mkdir(parents=True)
    active, historical = (f"---\nname: a\nstatus: {status}\n---\n\nText.\n" for status in ("active", "historical"))
    (folder / "a.md").write_text(active)
    (folder / "a_v1.md").write_text(historical)
    assert sizes(tmp_path) == (len(active), len(active) + len(historical))


def test_a_file_that_lacks_a_part_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "phrases.json"
    path.write_text(json.dumps({"subjects": [], "noise": []}))
    with pytest.raises(ValueError, match="has no heard, lasting, others"):
        read(path)
