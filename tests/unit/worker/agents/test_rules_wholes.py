"""What is read of a sentence that is not whole, or in two languages, and what takes the place of what across them."""

import pytest
from unit.worker.agents.test_rules import Talk

from memoryd.ipc.sanitise import sanitise
from memoryd.memory.catalogue import Catalogue


def remembered(*prompts: str) -> list[str]:
    """The core lines and the names of entries after a run for each prompt, as it comes through ingest."""
    talk = Talk()
    for prompt in prompts:
        talk.say(sanitise(prompt))
        talk.run()
    known = Catalogue.build(talk.files)
    return [line.text for line in known.lines] + [k.entry.name for k in known.entries if k.entry.active]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that <private>J. earns 9k</private> the deploy host is hetzner-3.", "The deploy host is hetzner-3"),
        ("Remember my dog's name is <private>Rex</private> and I live in Berlin.", "The user lives in Berlin"),
        ("I prefer short answers, and my boss is <private>Joe</private>.", "The user prefers short answers"),
        ("我叫张三，密码是<private>4711</private>。", "用户叫张三"),
        ("记住<private>别的</private>我喜欢简洁的代码。", "用户喜欢简洁的代码"),
        ("Please remember: I work at <private>Acme</private> as a Rust developer.", None),
        ("Remember: my salary is <private>100k</private>.", None),
        ("Remember that <private>Acme</private> is our biggest client.", None),
        ("请记住我在<private>某某公司</private>工作。", None),
    ],
)  # fmt: skip
def test_of_a_sentence_with_a_private_span_only_what_is_whole_without_it_is_kept(said: str, kept: str | None) -> None:
    assert remembered(said) == ([kept] if kept else [])


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that 我们的数据库用 PostgreSQL", "我们的数据库用 PostgreSQL"),
        ("Please remember 我喜欢用制表符", "用户喜欢用制表符"),
        ("记住：always run make lint before you commit", "Always run make lint before you commit"),
        ("请记住我叫张三", "用户叫张三"),
        ("好的，请记住：我们用 PostgreSQL 做数据库", "我们用 PostgreSQL 做数据库"),
    ],
)
def test_a_lead_in_of_either_language_is_no_part_of_what_it_leads_to(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


@pytest.mark.parametrize(
    ("before", "wish"),
    [
        ("我叫张三。", "忘掉我的名字"),
        ("My name is Anna.", "忘掉我的名字"),
        ("我叫张三。", "Please forget my name."),
        ("I live in Berlin.", "忘掉我住哪"),
        ("我在腾讯上班。", "please forget who I work for"),
    ],
)
def test_a_wish_to_forget_meets_either_language(before: str, wish: str) -> None:
    assert len(remembered(before)) == 1
    assert remembered(before, wish) == []
    assert remembered(before, "I prefer tabs.", wish) == ["The user prefers tabs"]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("I prefer tabs.", "I prefer spaces now", ["The user prefers spaces now"]),
        ("I prefer tabs over spaces.", "I prefer spaces now.", ["The user prefers spaces now"]),
        ("I like dark mode.", "I prefer light mode now.", ["The user prefers light mode now"]),
        ("我喜欢空格而不是制表符。", "我现在喜欢制表符了。", ["用户现在喜欢制表符了"]),
        ("我叫张三。", "My name is Li Wei.", ["The user's name is Li Wei"]),
        ("My name is Anna.", "我叫李雷。", ["用户叫李雷"]),
        ("我在腾讯上班。", "I work at Google now.", ["The user works at Google now"]),
        ("Answer in English.", "以后用中文回答。", ["以后用中文回答"]),
        ("I prefer tabs.", "I like short answers now.", ["The user prefers tabs", "The user likes short answers now"]),
        ("我叫张三。", "I live in Berlin now.", ["用户叫张三", "The user lives in Berlin now"]),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one_in_either_language(
    before: str, after: str, kept: list[str]
) -> None:
    assert remembered(before, after) == kept
