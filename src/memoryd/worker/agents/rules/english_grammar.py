"""English grammar: what a user said in the first person as a line about "the user"."""

import re

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.patterns import Kind

_ADVERBS = frozenset(
    """really strongly much generally usually always mostly mainly also still just very definitely personally normally
    typically now currently basically actually only honestly particularly especially never even already finally often
    rarely barely hardly absolutely truly completely totally kind sort of slightly""".split()  # noqa: SIM905
)
_IRREGULAR = {"have": "has", "haven't": "hasn't", "do": "does", "am": "is", "go": "goes"}
#: modals and past tenses: the same in the third person
_UNCHANGED = frozenset(
    """can could will would shall should may might must can't cannot won't wouldn't couldn't shouldn't didn't just got
    went came became left quit grew spent ran wrote knew had did was were found chose took taught began ever""".split()  # noqa: SIM905
)
_CONTRACTED = {"m": "is", "ve": "has", "d": "would", "ll": "will"}
_I = lazy(r"\bI(?:['’](m|ve|d|ll)|(m|ve)(?= ))?(?![\w'’./])((?: (?!I\b)[A-Za-z'’-]+){0,5})", re.IGNORECASE)
_OTHER_FORMS = tuple(
    (lazy(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\b(ask(?:ing)?|check(?:ing)? with|tell(?:ing)?) me first\b", r"\1 first"),
        (r"\bmy own\b", "their own"),
        (r"\b(?:my|mine)\b", "the user's"),
        (r"\bmyself\b", "themselves"),
        (r"\bme\b", "the user"),
    )
)
_YOU = tuple(
    (lazy(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\byou(?:['’]| a)?re\b", "the assistant is"),
        (r"\byour\b", "the assistant's"),
        (r"\b(?:yourself|you)\b", "the assistant"),
    )
)
_NAMING = lazy(
    r"(?:(?:the )?name'?s|that'?s|make (?:it|that)|it'?s|this is|(?:you can |please |just )*call me)"
    r" (?=[A-Z\u4e00-\u9fff])",
    re.IGNORECASE,
)
#: "as a DBA", "being colour-blind", "frontend engineer now"
_SUBJECTLESS = lazy(
    r"^(?:as|being) (?=\w)(?!.* i\b)|^(?=(?!i\b|i'|assume\b|my\b)(?:[\w-]+ ){1,5}now[\s.!]*$)"
    r"|^(?:just |recently )?(?=moved to )",
    re.IGNORECASE,
)
_AFTER_NAME = lazy(r" (?:here|now)$", re.IGNORECASE)
_SYMBOL = lazy(r"\w[\w-]*[A-Z./_]")  #: a word that is spelled as code keeps its first letter


def render(kind: Kind, text: str) -> str:
    """Return the words of a fact as a line about "the user", the agent as "the assistant"."""
    if kind is Kind.PERSON and _NAMING.match(text):
        return "The user is " + _AFTER_NAME.sub("", _NAMING.sub("", text, count=1))
    if kind is Kind.PERSON:
        text = _SUBJECTLESS.sub("I'm ", text)
    text = _I.sub(_he_or_she, _replaced(text, _YOU) if kind is Kind.AGENT else text)
    text = _replaced(text, _OTHER_FORMS)
    return text if _SYMBOL.match(text.split(" ")[0]) else text[:1].upper() + text[1:]


def _replaced(text: str, forms: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, words in forms:
        text = pattern.sub(words, text)
    return text


def _he_or_she(match: re.Match[str]) -> str:
    contracted = match[1] or match[2]
    if contracted:
        return f"the user {_CONTRACTED[contracted.lower()]}{match[3]}"
    words = match[3].split()
    verb = next((n for n, word in enumerate(words) if word.lower() not in _ADVERBS), None)
    if verb is None:
        return f"the user{match[3]}"
    lower = words[verb].lower()
    if words[verb : verb + 2] == ["no", "longer"] and len(words) > verb + 2:
        words[verb + 2] = _third_person(words[verb + 2])
    elif lower in ("don't", "don’t", "dont"):
        words[verb] = "does not"
    elif lower == "do" and words[verb + 1 : verb + 2] == ["not"]:
        words[verb] = "does"
    else:
        words[verb] = _third_person(words[verb])
    return f"the user {' '.join(words)}"


def _third_person(verb: str) -> str:
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower in _UNCHANGED or lower.endswith("ed"):
        return verb
    if lower.endswith(("s", "x", "z", "ch", "sh")):
        return f"{verb}es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", verb) + "s"
