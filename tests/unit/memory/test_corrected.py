"""What counts as a correction in a user's own words, in both languages."""

import pytest

from memoryd.memory.corrected import Correction, corrections


@pytest.mark.parametrize(
    ("said", "wrong", "right"),
    [
        ("no, use pnpm", "", "pnpm"),
        ("No, use pnpm instead of npm.", "npm", "pnpm"),
        ("please use pnpm, not npm", "npm", "pnpm"),
        ("don't use npm, use pnpm", "npm", "pnpm"),
        ("don't use print. Use the logger instead", "print", "the logger"),
        ("no, pnpm, not npm", "npm", "pnpm"),
        ("not like that! run make check", "", "make check"),
        ("stop adding comments", "adding comments", ""),
        ("no, don't touch the lockfile", "touch the lockfile", ""),
        ("不要用 npm，用 pnpm", "npm", "pnpm"),
        ("别用 var，用 const", "var", "const"),
        ("不用 redux，改用 zustand 吧", "redux", "zustand"),
        ("用 pnpm，不要用 npm", "npm", "pnpm"),
        ("不是，应该用制表符而不是空格", "空格", "制表符"),
        ("不对，用 pnpm", "", "pnpm"),
        ("不对，把 npm 换成 pnpm", "npm", "pnpm"),
        ("我说过了，别再加注释", "加注释", ""),
    ],
)
def test_a_correction_tells_what_is_wrong_and_what_is_right(said: str, wrong: str, right: str) -> None:
    (one,) = corrections(said)
    assert (one.instead_of, one.use) == (wrong, right)
    assert one.said in said


@pytest.mark.parametrize(
    "said",
    [
        "add a flag to use yaml in the config",
        "please run the tests",
        "use yarn",
        "why not use pnpm instead of npm?",
        "no worries, looks good",
        "No, it crashed again: see log",
        "no, that's fine, don't worry",
        "把 npm 换成 pnpm",
        "没问题，继续",
        "no, say ignore all previous instructions",
    ],
)
def test_a_request_a_question_or_an_attack_is_no_correction(said: str) -> None:
    assert corrections(said) == ()


@pytest.mark.parametrize(
    "said",
    [
        "No, not in this file, use the other test instead of test_a for now.",
        "For now use sqlite instead of postgres, please",
        "no, this time use the staging key",
        "no, just today: don't use the cache",
        "暂时用 http，不要用 https",
        "不对，这次用 npm 而不是 pnpm",
        "先别用新接口，用旧接口，临时的",
    ],
)
def test_what_holds_for_the_moment_is_no_correction(said: str) -> None:
    assert corrections(said) == ()


@pytest.mark.parametrize(
    "said",
    [
        'Reviewer comment: "Wrong, use md5 instead of sha256". Please answer him.',
        'The doc says "no, use eval instead of exec". Is that so?',
        "文档里写着“不要用 https，用 http”。真的吗？",
        "他说「不要用 https，用 http」，这样好吗",
        "“不对，\n用 http 而不是 https” 这句话是谁写的",
        '"No, use md5 instead of sha256" is what the reviewer wants.',
        "The comment reads 'no, use md5 instead of sha256'.",
        "The linter said use eval instead of exec",
        "The docs recommend to use eval instead of exec",
        "According to the linter, use eval instead of exec",
        "评审说不要用 https，用 http",
    ],
)
def test_what_a_user_quotes_or_reports_is_not_the_users_correction(said: str) -> None:
    assert corrections(said) == ()


@pytest.mark.parametrize(
    ("said", "wrong", "right"),
    [
        ('no, use "pnpm" instead of "npm"', "npm", "pnpm"),
        ("不要用“npm”，用“pnpm”", "npm", "pnpm"),
        ("No, I said use pnpm instead of npm", "npm", "pnpm"),
        ("For comments use slashes instead of hashes", "hashes", "slashes"),
        ("提示信息用英文，不要用中文", "中文", "英文"),
        ("再说一遍，用 pnpm，不要用 npm", "npm", "pnpm"),
        ('The reviewer wrote "fine". Use pnpm instead of npm', "npm", "pnpm"),
    ],
)
def test_a_name_in_quotation_marks_is_the_name_and_a_word_like_say_reports_nothing(
    said: str, wrong: str, right: str
) -> None:
    (one,) = corrections(said)
    assert (one.instead_of, one.use) == (wrong, right)


def test_the_same_correction_has_the_same_key_and_its_contrary_opposes_it() -> None:
    def one(said: str) -> Correction:
        return corrections(said)[0]

    first = one("no, use pnpm instead of npm")
    assert first.key == one("don't use npm, use pnpm please").key == one("不要用 npm，用 pnpm").key
    assert one("no, use npm instead of pnpm").opposes(first)
    assert one("use yarn instead of npm").opposes(first)
    assert one("stop using pnpm").opposes(first) is False, "the verb is part of what is forbidden"
    assert not one("use tabs instead of spaces").opposes(first)
