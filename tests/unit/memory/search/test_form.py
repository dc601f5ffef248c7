import pytest

from memoryd.memory.search.form import asks_when, names_time, speaker, unlabelled, worth


def test_a_statement_is_worth_more_than_a_question_and_a_long_text_more_than_a_few_words() -> None:
    said = "We moved the deployment to Hetzner because the old provider had doubled its prices over the summer. " * 3
    assert worth(said) == 1.0
    assert worth(said) > worth(f"Why? {said}") > worth(f"{said} Does that sound right to you?")
    assert worth(said) > worth("Sounds good, thanks!") > worth("ok") > 0.5


@pytest.mark.parametrize("text", ["I met her last week", "since 2019", "我昨天去了北京", "会议在周三", "8月12日交付"])
def test_a_text_that_names_a_time_is_known(text: str) -> None:
    assert names_time(text)
    assert not names_time("the parser reads a line and 这个函数返回列表")


@pytest.mark.parametrize("query", ["When did we deploy?", "which month was it", "什么时候上线", "哪天开会", "多久一次"])
def test_a_query_that_asks_when_is_known(query: str) -> None:
    assert asks_when(query)
    assert not asks_when("where is the config, 在哪里")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ann: we use Postgres", "we use Postgres"), ("张三：用中文", "用中文"), ("Dr. Li-Wei: yes", "yes"),
        ("see http://host/x: it fails", "see http://host/x: it fails"), ("a::b: c", "a::b: c"),
        ("no label", "no label"),
    ],
)  # fmt: skip
def test_who_speaks_is_no_part_of_what_was_said(text: str, said: str) -> None:
    assert unlabelled(text) == said
    assert f"{speaker(text)}" == ("" if said == text else text[: -len(said)].rstrip(" :："))
