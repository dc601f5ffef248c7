"""A change takes the place of what it changes, whatever the words, the file and the language; nothing else goes."""

import pytest

from bench.days.life import OWN, read
from bench.days.pairs import RIGHT, apart, report, tied
from memoryd.worker.agents.rules.attributes import attributes_of
from memoryd.worker.agents.rules.known_values import named_values
from memoryd.worker.agents.rules.languages import CHINESE, ENGLISH, language_of
from memoryd.worker.agents.rules.olds import places_of_old, values_in
from memoryd.worker.agents.rules.plain import states_plainly
from memoryd.worker.agents.rules.sentences import Sentence, mask
from memoryd.worker.agents.rules.wholes import before_task


def test_each_statement_of_our_phrases_gives_way_to_each_change_of_it() -> None:
    phrases = read(OWN)
    some = {"subjects": [{**one, "values": one["values"][:2]} for one in phrases["subjects"][::8]]}
    wrong = [pair for pair in tied(some) if pair.end != RIGHT]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("say", "change", "values"),
    [
        ("my shell is {new}", "shell's {new} now", ["fish", "zsh"]),
        ("db: {new}", "db swap: {old} -> {new}", ["postgres 15", "mysql 8"]),
        ("My keyboard is a {new}.", "Sold the {old}, typing on a {new} now.", ["Kinesis Advantage", "Moonlander"]),
        ("我的输入法是{new}", "输入法换{new}了，{old}打不惯", ["小鹤双拼", "五笔86"]),
        ("our CI is {new}", "CI 切到 {new} 了", ["Jenkins", "Buildkite"]),
        ("数据库用的是 {new}", "we replaced {old} with {new} as the database", ["达梦", "OceanBase"]),
        ("We use {new} for the packages.", "We switched from {old} to {new} for the dependencies.", ["uv", "poetry"]),
        ("我住在{new}", "I moved, my city is {new} now", ["苏州", "绵阳"]),
    ],
)
def test_a_change_in_other_words_or_another_language_takes_the_old_value_out(
    say: str, change: str, values: list[str]
) -> None:
    (pair,) = tied({"subjects": [{"say": [say], "change": [change], "values": values}]})
    assert pair.end == RIGHT, pair


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("My keyboard is a Moonlander.", "My second keyboard is now a HHKB.", ("Moonlander", "HHKB")),
        ("We use port 8080 for the API.", "The metrics endpoint now uses port 9090.", ("8080", "9090")),
        ("I have a dog called Rex.", "My neighbour now has a dog called Bello.", ("Rex", "Bello")),
        ("Never merge without review.", "The merge tool was changed to meld.", ("without review", "meld")),
        ("My editor is Helix.", "Just for this task I use nano now.", ("Helix", "")),
    ],
)
def test_another_thing_another_person_and_what_holds_for_a_while_take_nothing_out(
    first: str, second: str, words: tuple[str, str]
) -> None:
    (pair,) = apart([{"say": [first, second], "first": words[0], "second": words[1]}])
    assert pair.end == RIGHT, pair


def test_an_attribute_has_one_name_in_both_languages() -> None:
    assert attributes_of("Our error tracker is Sentry") & attributes_of("错误上报现在走 GlitchTip")
    assert attributes_of("I work at Brightwater") & attributes_of("我在鲸鱼科技上班")
    assert not attributes_of("The standup is on Monday") & attributes_of("Our database is TiDB")


def test_the_place_of_an_old_value_is_read_from_the_longest_words_on() -> None:
    said = "Sold the Kinesis Advantage, typing on a Moonlander now"
    assert places_of_old(said, mask(said), ENGLISH) == ("the Kinesis Advantage",)
    assert next(values_in("the Kinesis Advantage")) == "Kinesis Advantage"
    assert "Kinesis" not in [*values_in("old Kinesis Advantage")]  # alone only at an end
    assert "Fedora" in [*values_in("to Fedora and installed Ubuntu")]  # or a name among other words


def test_a_known_value_tells_its_attribute_where_no_word_names_it() -> None:
    assert named_values("we ship to Fly.io from GitLab CI") == {("hosting", "fly.io"), ("ci", "gitlab ci")}
    assert named_values("a fish swims") == frozenset(), "only the capital makes it a shell"
    assert named_values("see fly.ionic.example and docs/react/") == frozenset(), "a part of a name is none"
    assert {attribute for attribute, _ in named_values("我在杭州，喝乌龙茶")} == {"city", "drink"}


def test_a_change_between_two_other_values_leaves_a_third_alone() -> None:
    kept = [*apart([{"say": ["We use SQLite for tests.", "The database moved from MySQL to TiDB."],
                     "first": "SQLite", "second": "TiDB"}])]  # fmt: skip
    assert [pair.end for pair in kept] == [RIGHT]


@pytest.mark.parametrize(
    ("said", "head"),
    [
        ("The CI is Jenkins now, could you fix the badge?", "The CI is Jenkins now"),
        ("测试框架是 Vitest，补一下这个函数的用例", "测试框架是 Vitest"),
        ("If the CI is Jenkins, fix the badge", None),
        ("Run it once more, and fix the badge", None),
        ("容器里跑的是 Ubuntu，apt 为什么失败", None),
    ],
)
def test_what_a_sentence_states_before_a_task_is_read_by_itself(said: str, head: str | None) -> None:
    found = before_task(Sentence(said, mask(said)))
    assert (found and found.text) == head


def test_whose_child_it_is_does_not_hang_on_the_word() -> None:
    say, change = "My son is {new} old.", "My boy had his birthday, he is {new} old now."
    (pair,) = tied({"subjects": [{"say": [say], "change": [change], "values": ["six years", "seven years"]}]})
    assert pair.end == RIGHT, pair


def test_a_name_in_the_other_script_makes_no_other_language() -> None:
    assert language_of("we replaced OceanBase with 达梦 as the database") is ENGLISH
    assert language_of("数据库从 OceanBase 换成达梦了") is CHINESE


@pytest.mark.parametrize(
    "said",
    ["Why is our CI on Buildkite?", "Our CI is broken today", "run the linter", "我们的 CI 今天挂了", "帮我换个编辑器"],
)
def test_what_asks_orders_or_passes_states_nothing(said: str) -> None:
    sentence = Sentence(said, mask(said), only=True)
    assert not states_plainly(sentence, language_of(said))


def test_a_report_counts_what_went_wrong() -> None:
    found = [*apart([{"say": ["Why?", "Fix it."], "first": ["x"], "second": []}])]
    assert report(found) == "0 of 1 right (0.0%); the statement is not kept 1"
