"""What a text is about: its words without those that every fact has."""

from collections.abc import Callable
from dataclasses import replace

from memoryd.memory.words import content_words
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.facts import Fact, Forget
from memoryd.worker.agents.rules.held import Held
from memoryd.worker.agents.rules.languages import language_of
from memoryd.worker.agents.rules.patterns import Alias

FRAME = content_words(  #: words that every fact has
    "user use always never now new instead only just every all file project team want need make keep like "
    "day week month last the user's files code 用户 以后 现在 我们 们用 一下 不要 使用 改用 喜欢 都是 的话 后都"
)
_FRAME_OF_WISHES = FRAME | content_words(
    "thing bit part fact said told tell mention mentioned memory note notes ever wrote stuff earlier piece detail info "
    "please delete remove erase wipe drop scrub purge store save keep forget head never mind from "
    "rule preference previous record remember everything anything regarding related keep thing line entry back "
    "decision wish remark comment item strike bin lose scrap unlearn cancel private half stuff confidential nobody "
    "这条 那条 规矩 条规 名字 事情 关于 内容 记忆 从记 忆里 刚才 之前 把它 我说 说的 上回 回定 定的 请从 请把 号把 "
    "的事 那件 件事 那事 这事 这些 那些 留着 收回 撤回 作废 这句 那句 句收 句话 句不 个要 要求 求撤"
)
#: Chinese words that point at something said, or take it back: cut out before the rest is taken for a name
_TALK_OF_WISHES = lazy(
    r"(?:刚才|刚刚|刚|上面|前面|之前|先前|上一?)?(?:说|讲|提|写)?(?:的|过)?[那这](?:一|半)?(?:个|条|句|段|点|部分|件?事儿?|些)(?:话|内容|信息)?"
    r"|刚才|刚刚|上面|前面|之前|撤回|作废|收回|取消|解除|去掉|删[掉除]?|抹[掉去除]?|清(?:干净|掉|除)?|划掉|剔除?|移除|扔掉|忘[掉记了]?|拿掉"
    r"|(?:别|不要|不用|请勿|没必要)(?:再|给我|帮我)*(?:保?[留存记]|记录|往外记|写)[着下住]?|保[留存]|从?你?(?:的)?(?:记忆|记录|笔记|备忘|脑子|小本本)(?:里|中|上)?"
    r"|想了想|等等|等一下|干净|赶紧|立刻|马上|麻烦|规矩|规则|要求|约定|偏好|内容|[请把将你我给就都也了吧哈啊呃哦哎嗯的得]"
)
_WORDS = lazy(r"[\w.#+-]*\w")
_MAX_SLUG_WORDS = 7
_HEAD_CHARS = 8
_AND = lazy(r"[,;.，；。、]\s*|\b(?:and|or)\b|(?<=[\u4e00-\u9fff])[和跟与](?=[\u4e00-\u9fff])")
_CLAUSE = lazy("[，,。；;：:！!？?]")


class Topic:
    """The words of a fact's sentence that another fact may share."""

    def __init__(self, fact: Fact) -> None:
        matched = simplified(fact.said)
        self._words = (content_words(matched) | content_words(simplified(fact.beside))) - FRAME
        self._chinese = fact.language.code == "zh"
        self._heads = _heads(matched) if self._chinese else frozenset[str]()

    def shared(self, held: Held) -> tuple[int, int]:
        """Return how many topic words a held fact shares, and how many it has."""
        topic = held.words - FRAME
        both = self._words & topic
        count = len(both)
        if self._chinese:  # a name among Chinese words is the topic, and so is what stands in front
            count += any(word.isascii() and word.isalpha() and len(word) > 1 for word in both)
            count += bool(self._heads & topic)
        return count, len(topic)


def names_something(wish: Forget) -> bool:
    """Whether a wish says what to forget: words are left over beside those of any wish."""
    return bool(_asked(wish.what) or aliases_of(wish))


def _asked(what: str) -> frozenset[str]:
    return content_words(_TALK_OF_WISHES.sub(" ", simplified(what))) - _FRAME_OF_WISHES


def shared_with(wish: Forget, words: frozenset[str]) -> int:
    """Return how many of these words a wish names."""
    return len(_asked(wish.said) & words)


def parts_of(wish: Forget) -> list[Forget]:
    """Return a wish for each thing that it names: "my age and the school part"."""
    parts = filter(None, map(str.strip, _AND.split(wish.what)))
    return [replace(wish, what=part) for part in parts]


def aliases_of(wish: Forget) -> list[Alias]:
    """Return what the words of a wish stand for: "my company"."""
    what = simplified(wish.what)
    return [alias for alias in wish.language.aliases if alias.words.search(what)]


def _is_meant(alias: Alias, text: str) -> bool:
    """Whether a line, in whichever language it was said, tells what an alias stands for."""
    known = (other.lines for other in language_of(text).aliases if other.concept == alias.concept)
    return bool(next(known, alias.lines).search(simplified(text)))


def about(wish: Forget) -> Callable[[str], bool]:
    """Return whether a text, or a part of one, is about something that a wish names."""
    tests = [_about(part) for part in parts_of(wish)]
    return lambda text: any(test(text) for test in tests)


def _about(wish: Forget) -> Callable[[str], bool]:
    aliases = aliases_of(wish)
    if aliases:
        return lambda text: any(_is_meant(alias, text) for alias in aliases)
    asked = _asked(wish.what)
    if wish.language.code == "zh":
        alone = {word for word in asked if len(word) == 1}

        def is_meant(text: str) -> bool:
            matched = simplified(text)
            return bool(asked & content_words(matched)) or any(word in matched for word in alone)

        return is_meant
    return lambda text: 2 * len(asked & content_words(text)) >= max(1, len(asked))


def slug_words(text: str) -> list[str]:
    """The first words of a text that carry meaning, in their order."""
    words = _WORDS.findall(text)
    kept = [word for word in words if content_words(word) - {"user"}]
    return (kept or words)[:_MAX_SLUG_WORDS]


def _heads(matched: str) -> frozenset[str]:
    """The words that the clauses of a Chinese text begin with: its topics."""
    return frozenset().union(*(content_words(c[:_HEAD_CHARS]) for c in _CLAUSE.split(matched))) - FRAME
