"""How models word that they will not, in plain text instead of an answer."""

import re

MAX_CHARS = 1000  #: a longer text is talk
WORDS = (
    r"\A\W*(?:(?:i'm|i am)(?: (?:very|really|so))? sorry|sorry|i (?:can't|cannot|can not|won't|am unable|'m unable)|"
    r"i'm (?:unable|not able)|(?:很|非常)?(?:抱歉|对不起|對不起)|我(?:不能|无法|無法))(?![a-z])"
)
_REFUSAL = re.compile(WORDS, re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether a model refuses; one that says sorry and then answers with an object does not.

    >>> is_refusal("I'm sorry, but I cannot help with that."), is_refusal('Sorry, here it is: {"items": []}')
    (True, False)
    """
    return len(text) <= MAX_CHARS and "{" not in text and bool(_REFUSAL.match(text.replace("\u2019", "'")))
