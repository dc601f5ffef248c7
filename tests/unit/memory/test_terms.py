"""The terms that a user sets for a session, in English and Chinese."""

import pytest

from memoryd.memory.terms import MAX_TERM_CHARS, terms


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            "Port the parser. Don't touch the public API. Keep it under 200 lines. Let's go with SQLite instead.",
            ["constraint: Don't touch the public API.", "constraint: Keep it under 200 lines.",
             "decision: Let's go with SQLite instead."],
        ),
        ("- only edit files in src/\n- no new dependencies\n- fix the login", ["constraint: only edit files in src/",
                                                                               "constraint: no new dependencies"]),
        ("The build must be green before you push.", ["constraint: The build must be green before you push."]),
        ("Leave the config alone.", ["constraint: Leave the config alone."]),
        ("We decided on tabs.", ["decision: We decided on tabs."]),
        ("把解析器移植过来。不要改公共接口。我们决定用 SQLite。只改 src 目录。",
         ["constraint: 不要改公共接口。", "decision: 我们决定用 SQLite。", "constraint: 只改 src 目录。"]),
        ("请务必保留旧接口，改用 tantivy。", ["constraint: 请务必保留旧接口，改用 tantivy。"]),
        ("就按方案二来。", ["decision: 就按方案二来。"]),
    ],
)  # fmt: skip
def test_what_must_hold_and_what_was_decided_is_told_sentence_by_sentence(prompt: str, expected: list[str]) -> None:
    assert [f"{kind}: {said}" for kind, said in terms(prompt)] == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the login bug", "I don't know why it fails", "Why don't you try it?", "Don't worry about it",
        "Must this always run?", "别担心测试", "你觉得必须这样吗？", "看一下日志",
        "What does it say?\n```\nNever run this twice. Always use --force.\n```\n",
        "never " * 100,
    ],
)  # fmt: skip
def test_requests_questions_small_talk_and_what_was_pasted_set_no_terms(prompt: str) -> None:
    assert list(terms(prompt)) == []


def test_a_term_is_short_whatever_the_prompt_holds() -> None:
    assert all(len(said) <= MAX_TERM_CHARS for _, said in terms("do not. always\nnever " * 5_000))
