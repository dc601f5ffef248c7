"""What a text asks of its reader, in whose name it speaks, and whether a user said it; English and Chinese together."""

import re
from collections.abc import Iterator

from memoryd.memory.words import CJK, content_words, normal
from memoryd.patterns import lazy

SHARED_WORDS = 0.5  #: share of a text's content words that the user's own words must hold

#: how a memory speaks about the user, and its labels; these words stand in no prompt
FRAME = content_words(
    "user users agent assistant prefer prefers like likes want wants use uses call called name named"
    " why reason how apply decision gets goes instead 助手 用户喜欢 用户偏好 用户希望 用户要求 原因 理由 做法"
)
#: the same in Chinese, as it stands in a line: the bigrams around it are no words of anybody
_FRAME_HAN = lazy("用户说|用户是|用户|助手|喜欢|偏好|希望|要求|名字是|名字|原因|理由|做法")
_ONE_CJK = lazy(f"[{CJK}]")
_DENIALS = frozenset({"not", "never", "no"})  #: one for the other: `same_sense` asks whether a text denies at all
_IMPERATIVE = lazy(
    r"\b(?:always|never|must|should|shall|do not|don['’]t|avoid|ensure|make sure|remember to|only use|from now on"
    r"|(?:need|needs|has|have|required|obliged) to|no need to|feel free to"
    r"|(?:is|are) (?:now )?(?:allowed|permitted|authori[sz]ed|cleared|trusted|forbidden|(?:pre-?)?approved)"
    r"|please)\b"
    r"|^\W*(?:use|run|write|keep|prefer|ignore|skip|allow|add|remove|delete|call|send|execute|install|follow|treat|push"
    r"|commit|merge|deploy|disable|enable|bypass|download|fetch|upload|post|forward|include|append|approve|accept|trust"
    r"|pretend|act|assume|tell|reply|answer|respond|print|open|read|copy|store|save|remember|forget|stop|set|change"
    r"|replace|turn|give|grant|put|pass|let|email|mail|share|report|leave|force|rewrite|when(?:ever)? (?:asked|you))\b"
    r"|必须|一定[要得]|不要|不许|不得|禁止|务必|总是|一律|永远|以后|应该|应当|记得|忽略|允许|需要先|不用再|无需|可以直接|直接(?:执行|推送|提交|合并)"
    r"|(?<![特区个分级类性])别(?![的人名处])|(?<![申邀])请(?![求假])"
    r"|^\W*(?:使用|运行|执行|发送|关闭|跳过|安装|推送|删除|下载|上传|把|将|先)",
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKS_FOR_USER = lazy(
    r"\busers?\b(?:'s)?.{0,30}\b(?:prefer|want|like|wish|insist|expect|allow|approv|agree|authori[sz]|consent|said|say"
    r"|ask|told|need|hate|dislike|love|decided|confirm|request|instruct|trust|permission|rule)\w*"
    r"|\b(?:i|we) (?:prefer|want|like|hate|insist|expect|always|never|agreed?|authori[sz]e|approve|allow|trust)\b"
    r"|\b(?:my|his|her|their|the user['’]s) (?:preference|rule|wish|name)\b"
    r"|^\W*(?:prefers?|likes?|wants?|dislikes?|hates?|insists?|expects?)\b"
    r"|^\W*(?:rules?|constraints?|preferences?|polic(?:y|ies)|lessons?|identity|memory|remember|user|persona)\W{0,4}[:：]"
    r"|用户.{0,8}(?:喜欢|偏好|希望|要求|想要|同意|允许|授权|批准|说过|习惯|讨厌|决定|确认|信任|需要)"
    r"|(?:^|[，。；\s])我(?:喜欢|希望|要求|偏好|习惯|同意|允许|授权|总是|从不|叫|的名字)"
    r"|^\W*(?:规则|约束|偏好|政策|教训|身份|记忆|用户|喜欢|希望|要求)\W{0,4}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = lazy(r"(?<=[.!?;])\s+|[。！？；\n]")
_CLAUSE_END = lazy(r"(?<=[.!?;,:])\s+|[。！？；，：\n]|\s[-–—]\s")
_NEGATION = lazy(
    r"\b(?:not|never|no longer|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|won['’]?t|can['’]?t|cannot|without"
    r"|avoids?|stops?|skips?|refuses?|hates?|dislikes?|detests?|forbid\w*|instead of|rather than|no(?= \w))\b"
    r"|不|别|勿|禁止|避免|讨厌|拒绝|而非|没有|从未|跳过",
    re.IGNORECASE,
)
#: what stands on one side of it cannot change places with what stands on the other
_TWO_SIDES = lazy(r"\b(?:before|after|until|unless|instead of|rather than|than|over)\b|之前|之后|而不是|而非")
#: what one letter more or less makes another thing: addresses, paths, flags, variables
_NAME = lazy(
    r"https?://[^\s'\"`<>，。；）)]+|[\w.+-]+@[\w-]+\.[\w.-]+|(?<![\w/.])(?:~|\.{1,2})?/[\w.-]+[\w./-]*|(?<![\w-])--?[A-Za-z][\w-]*"
    r"|(?<![\w.])[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|dev|sh|cn|ru|xyz|top|cc|info|app|cloud|example|invalid|test)\b"
    r"|\$\{?[A-Za-z_]\w*",
    re.IGNORECASE,
)


def is_imperative(text: str) -> bool:
    """Whether a text tells its reader what to do."""
    return bool(_IMPERATIVE.search(text))


def speaks_for_user(text: str) -> bool:
    """Whether a text says what the user likes, wants or allows, or looks like a line of a core file."""
    return bool(_SPEAKS_FOR_USER.search(text))


def is_loaded(text: str) -> bool:
    """Whether a text orders or speaks for the user: only the user may say that."""
    return is_imperative(text) or speaks_for_user(text)


def loaded(text: str) -> list[str]:
    """The sentences of a text that order or speak for the user."""
    return [sentence for sentence in _SENTENCE_END.split(text) if is_loaded(sentence)]


def telling(text: str) -> frozenset[str]:
    """The content words of a text without the frame that a memory puts around them."""
    return content_words(text) - FRAME or content_words(text)


def share(wanted: frozenset[str], held: frozenset[str]) -> float:
    """The share of the wanted words that are held, 0.0 to 1.0; 0 when none are wanted."""
    return len(wanted & held) / len(wanted) if wanted else 0.0


def unsaid_words(text: str, own: str) -> frozenset[str]:
    """The content words of a text, without its frame, that the user's own words do not hold; CJK by characters."""
    wanted, held = content_words(_FRAME_HAN.sub(" ", normal(text))) - FRAME, content_words(own)
    held |= _DENIALS if held & _DENIALS else frozenset()
    spoken = frozenset(_ONE_CJK.findall(normal(own)))
    return frozenset(word for word in wanted - held if not (_ONE_CJK.match(word) and spoken.issuperset(word)))


def names_stand_in(text: str, own: str) -> bool:
    """Whether every address, path, flag and variable of a text stands in the user's own words."""
    spoken = own.casefold()
    return all(name.rstrip(".,:;)/").casefold() in spoken for name in _NAME.findall(text))


def same_sense(text: str, own: str) -> bool:
    """Whether some sentence or clause that says this says it as the text does: with a negation, or without one.

    An order turned round ("push without the tests", of "never push without the tests") is not what was said.
    """
    spoken = [part for pattern in (_SENTENCE_END, _CLAUSE_END) for part in pattern.split(own)]
    near = [part for part in spoken if share(telling(text), content_words(part)) >= SHARED_WORDS]
    return not near or any(_denies(part) == _denies(text) for part in near)


def turned(text: str, own: str) -> bool:
    """Whether a text says the user's own words in an order that makes another thing of them.

    It denies what they hold and never deny, or what stands before a "before" in them stands after it.
    """
    denied = (_denied(text) & content_words(own)) - _denied(own)
    return bool(denied) or any(_swapped(cue, text, own) for cue in dict.fromkeys(_TWO_SIDES.findall(text.casefold())))


def _denied(text: str) -> frozenset[str]:
    """The content words that stand after a negation in their clause."""
    cues = ((clause, _NEGATION.search(clause)) for clause in _CLAUSE_END.split(text))
    return content_words("\n".join(clause[cue.end() :] for clause, cue in cues if cue)) - FRAME - _DENIALS


def _swapped(cue: str, text: str, own: str) -> bool:
    said = _all_sides(cue, own)
    return bool(said) and any(
        all((left & after) - before or (right & before) - after for before, after in said)
        for left, right in _all_sides(cue, text)
    )


def _all_sides(cue: str, text: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Of each sentence that holds a cue."""
    return [_sides(cue, part) for part in _SENTENCE_END.split(text.casefold()) if cue in part]


def _sides(cue: str, sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """The content words before and after a cue; "before you push, run the tests" is "run the tests before you push"."""
    left, _, right = sentence.partition(cue)
    if not content_words(left) - FRAME:
        right, _, left = right.replace("，", ",").partition(",")
    return content_words(left), content_words(right)


def rows(text: str) -> Iterator[str]:
    """The lines of a text that say something beyond its labels."""
    yield from (row for row in text.split("\n") if content_words(row) - FRAME)


def _denies(text: str) -> bool:
    """Two negations say what none says: "never push without the tests"."""
    return len(_NEGATION.findall(text)) % 2 == 1
