"""Chinese: traditional characters, marks of another keyboard, and a rule beside a task."""

import pytest

from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.reading import read
from memoryd.worker.agents.rules.sentences import mask


def kept(prompt: str) -> list[str]:
    return [fact.text for fact in read(prompt).facts if not fact.tentative]


def test_traditional_characters_are_folded_one_for_one() -> None:
    assert simplified("請記得,註解一律寫英文 (README)") == "请记得,注解一律写英文 (README)"


def test_masking_keeps_the_length_of_the_text() -> None:
    text = "預設用「程式碼」這個詞, thanks"
    assert len(mask(text)) == len(text)


def test_memory_keeps_the_characters_of_the_user() -> None:
    assert kept("我們團隊的提交訊息一律寫英文。") == ["我們團隊的提交訊息一律寫英文"]


@pytest.mark.parametrize("prompt", ["我在深圳,时区东八区,开会按这个算", "我在深圳，时区东八区，开会按这个算"])
def test_marks_of_another_keyboard_read_the_same(prompt: str) -> None:
    assert any("深圳" in line for line in kept(prompt))


def test_a_rule_that_speaks_of_me_stays_in_the_words_of_the_user() -> None:
    assert kept("以后改表结构之前先给我看 SQL。") == ["用户说：以后改表结构之前先给我看 SQL"]


@pytest.mark.parametrize(
    ("rule", "task"),
    [
        ("单元测试一律放在源码旁边，不要单独建目录", "把这个测试挪到源码旁边，再跑一遍"),
        ("凡是对外的接口都得有超时", "这个接口超时了，帮我看看日志"),
    ],
)
def test_a_rule_is_kept_and_a_task_on_the_same_topic_is_not(rule: str, task: str) -> None:
    assert kept(rule)
    assert not kept(task)
