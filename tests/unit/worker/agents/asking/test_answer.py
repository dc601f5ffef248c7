"""Answers are read leniently: what one item gets wrong costs that item, what is wrapped around them nothing."""

import pytest

from memoryd.worker.agents.asking.answer import MAX_ITEMS, Answer, read_output, read_text, schema

ITEM = '{"kind": "user", "text": "Likes tea", "cites": ["u1"]}'


@pytest.mark.parametrize(
    "text",
    [
        f'{{"items": [{ITEM}]}}',
        f"[{ITEM}]",
        ITEM,
        f'{{"items": {ITEM}}}',
        f'Here you are!\n```json\n{{"items": [{ITEM},]}}\n```\nAnything else?',
        f'<think>{{"items": []}}</think>{{"items": [{ITEM}]}} hope this helps :}}',
        f'{{"items": [{ITEM}, {{"kind": "user", "te',
        '{"items": [{"kind": "user", "text": "Likes tea", "why": null, "cites": "[u1], u2", "mood": "good"}]}',
    ],
)  # fmt: skip
def test_an_answer_is_found_in_what_a_model_writes(text: str) -> None:
    first = read_text(text).well_formed[0]
    assert (first.kind, first.text, first.cites[0], first.why) == ("user", "Likes tea", "u1", "")


@pytest.mark.parametrize("text", ["", "no", "I like tea.", '{"facts": []}', '{"text": "x"', '"items"'])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON|items"):
        read_text(text)


@pytest.mark.parametrize("text", ["see [1]", "[]", '{"items": ["text"]}', '[{"text": "no kind"}]', '"items"'])
def test_of_what_a_program_printed_brackets_alone_are_no_empty_answer(text: str) -> None:
    with pytest.raises(ValueError, match=r"no answer|no JSON"):
        read_output(text)
    assert read_output('Nothing new. {"items": []}').items == ()
    assert read_output(f"[{ITEM}]").well_formed


def test_malformed_items_are_dropped_one_by_one() -> None:
    good = {"kind": "rule", "text": "Never push", "cites": ["u1"]}
    bad = [{"kind": "joke", "text": "x"}, "text", 3, None, {"text": "no kind"}, {"kind": "user", "text": ["a"]}]
    answer = Answer.model_validate({"items": [*bad, good, *bad]})
    assert [item.text for item in answer.well_formed] == ["Never push"]
    assert len(answer.items) == 2 * len(bad) + 1


def test_a_flood_of_items_is_cut() -> None:
    assert len(Answer.model_validate({"items": [{"kind": "user", "text": "x"}] * 1000}).items) == MAX_ITEMS


def test_the_schema_has_no_references_no_limits_and_wants_every_field() -> None:
    told = schema()
    item = told["properties"]["items"]["items"]
    assert sorted(item["required"]) == sorted(item["properties"])
    assert not any(word in str(told) for word in ("$ref", "$defs", "maxLength", "default"))
