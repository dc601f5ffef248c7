"""What an entry is about, in one line for the index: what kind of thing it is, and the words that somebody looks for.

Made of the entry's own words, so that it says nothing that was not said.
"""

from memoryd.memory.wording import is_loaded
from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.languages import CHINESE, ENGLISH, language_of
from memoryd.worker.agents.rules.patterns import Kind
from memoryd.worker.agents.rules.topics import FRAME

MAX_TOPICS = 6
_LEAD = {
    ENGLISH.code: {Kind.DECISION: "Decision: ", Kind.PROJECT: "Project: ", Kind.POINTER: "Where to find: "},
    CHINESE.code: {Kind.DECISION: "决定：", Kind.PROJECT: "项目：", Kind.POINTER: "去处："},
}
_SAID_ALREADY = content_words("decided decide decision agreed 决定")
_WORD = lazy(r"[A-Za-z0-9_][\w.+#/:-]*[A-Za-z0-9_+#]|[A-Za-z0-9]|[\u3400-\u9fff]+")
#: Chinese words that join others: what stands between them is a word or a short phrase
_JOINTS = lazy(
    r"(?:我们|咱们|他们|大家|这个|那个|以后|之前|现在|已经|决定|因为|所以|一律|必须|需要|可以|不要|不能|[的了在是用把被和跟与或从到给就也都还要会能让对为个里上下每])+"
)


def describe(text: str, kind: Kind) -> str:
    """Return a description of an entry's text: "Decision: PostgreSQL, JSONB"; '' when no word of it stands out."""
    language = language_of(text)
    topics = [topic for topic in dict.fromkeys(_topics(text)) if not is_loaded(topic)][:MAX_TOPICS]
    said = _LEAD[language.code][kind] + ("、" if language is CHINESE else ", ").join(topics)
    return said if topics and not is_loaded(said) else ""  # words torn from an order are none of the user's orders


def _topics(text: str) -> list[str]:
    found = []
    for word in _WORD.findall(simplified(text)):
        pieces = [word] if word.isascii() else [piece for piece in _JOINTS.split(word) if len(piece) > 1]
        found += [piece for piece in pieces if content_words(piece) - FRAME - _SAID_ALREADY]
    return found
