import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.search.stemming import asked, words_of
from memoryd.memory.words import MAX_WORD_CHARS, Word, answers, asked_content, content_words, single


@pytest.mark.parametrize(
    ("document", "queries"),
    [
        ("We deployed the running servers", ["deploy", "run", "servers", "SERVER"]),
        ("she went home and bought children's shoes", ["go", "buy", "child", "shoe"]),
        ("我的頭髮很長", ["头发", "頭髮", "发", "髮", "头发很", "很长"]),
        ("ｆｕｌｌ　ＷＩＤＴＨ １２３", ["full", "width", "123"]),
        ("ひらがなとカタカナ 検索エンジン", ["カタカナ", "検索", "検", "エンジン"]),
        ("한국어 검색 엔진", ["검색", "한", "한국어"]),
        ("call getUserById(7) first", ["getUserById", "getuserbyid", "user id", "user_by_id"]),
        ("a column user_by_id", ["user_by_id", "user", "getUserById"]),
        ("see src/app/main.py:42", ["src/app/main.py", "main.py", "app/main.py", "src", "py"]),
        ("https://example.com/a-b?q=1", ["example.com", "https://example.com/a-b"]),
        ("用PostgreSQL存储数据", ["postgresql", "存储", "数据", "PostgreSQL存储"]),
        ("we don't do that", ["not", "don't"]),
    ],
)
def test_a_query_asks_for_what_the_document_holds(document: str, queries: list[str]) -> None:
    held = set(words_of(document))
    for query in queries:
        words = asked(query)
        assert words, query
        assert all((word.whole in held) or (word.parts and held.issuperset(word.parts)) for word in words), query


def test_stop_words_and_particles_ask_for_nothing_unless_they_are_all_there_is() -> None:
    assert asked("what is the") == []
    assert asked("我的头发") == [Word(parts=("头发",))]
    assert asked("的") == [Word(parts=("的",))]
    assert single("我的头发 and code") == ["头", "发"]


@given(st.text(max_size=300))
def test_any_text_becomes_tokens_without_white_space(text: str) -> None:
    for token in words_of(text):
        assert token
        assert not any(char.isspace() for char in token)
        assert len(token) <= 2 * MAX_WORD_CHARS
    asked(text)


@given(st.text(alphabet="头发風格代码abc_./ ", min_size=1, max_size=30))
def test_a_text_that_is_asked_for_itself_is_found(text: str) -> None:
    held = set(words_of(text))
    assert all((word.whole in held) or held.issuperset(word.parts) for word in asked(text))


@pytest.mark.parametrize(
    ("document", "found", "missed"),
    [
        (
            "call zork_parse_v2 first",
            ["zork_parse", "zork_pa", "zork parse", "parse_v2", "zork_parse_v2"],
            ["zork_run"],
        ),
        ("the function getUserById", ["getUser", "getUs", "userById", "getUserById"], ["getGroup", "setUser"]),
        ("see src/app/main.py", ["src/app", "app/ma", "src/app/main", "main.py"], ["src/lib", "lib/main"]),
        ("一个 spool_dir 的路径", ["spool_d", "这个 路径"], ["spool_file"]),
    ],
)
def test_a_symbol_is_found_by_its_parts_and_its_beginning(document: str, found: list[str], missed: list[str]) -> None:
    held = content_words(document)
    for query in found:
        assert all(answers(word, held, document) for word in asked_content(query)), query
    for query in missed:
        assert not all(answers(word, held, document) for word in asked_content(query)), query
