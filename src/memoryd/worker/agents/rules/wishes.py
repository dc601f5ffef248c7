"""Which facts a wish to forget means, and what is left of a line when only a part of it goes."""

import re
from collections.abc import Callable, Iterable, Sequence

from memoryd.memory.text import leaves_out
from memoryd.patterns import lazy
from memoryd.worker.agents.rules.facts import Forget
from memoryd.worker.agents.rules.held import Held
from memoryd.worker.agents.rules.languages import ENGLISH, language_of
from memoryd.worker.agents.rules.scales import weigh_clause
from memoryd.worker.agents.rules.sentences import mask
from memoryd.worker.agents.rules.topics import about, aliases_of, names_something, parts_of, shared_with

STANDING = 50  #: from this weight on a Chinese clause says something by itself
PERSONAL = frozenset(("user.md", "identity.md"))

_BETWEEN = lazy(
    r"[,;.]\s+(?:and |but )?|\s+(?:and|but)\s+(?=(?:the user|we|our)\b)|\s+[-–—]+\s+|[，；。]\s*", re.IGNORECASE
)
_FOLLOWS = lazy(
    r"(?:so|hence|thus|because|since|which|who|as|for|when|if|while|until)\b|所以|因此|因为|于是|就|也|而且",
    re.IGNORECASE,
)
_SO = lazy(r"(?:so\b|所以)\s*", re.IGNORECASE)
_BY_ITSELF = lazy(
    r"(?:and |but |also )?(?:the user(?!['’]s)|the user['’]s (?:\w+ ){1,3}(?:is|are)|we|our)\b", re.IGNORECASE
)
_POINTS_BACK = lazy(r"\b(?:it|its|he|his|him|she|her|they|them|their|that|this|there)\b|[他她它其这那]", re.IGNORECASE)

_ORDER = lazy(r"(?:never|always|don['’]?t|do not|no|only|must|every|all|use|run|keep|ask|avoid)\b", re.IGNORECASE)

Test = Callable[[str], bool]


def taken_out(
    wishes: Sequence[Forget], known: Sequence[Held], newest: Sequence[Held], spared: Iterable[str]
) -> list[tuple[Held, str]]:
    """Return the facts that the wishes of a prompt mean, each with what is left of its line, '' for nothing.

    `newest`: those of the turn before; a wish that names nothing means them. `spared`: clauses that say what may stay.
    """
    stays = [Forget(what=clause, said=clause, language=wishes[0].language) for clause in spared]
    found: dict[Held, str] = {}
    for wish in wishes:
        for held in _named(wish, known, stays):
            found[held] = _rest(held.text, about(wish), _spares(stays))
    for held in () if found else _newest(wishes, newest, stays):
        found[held] = ""
    return list(found.items())


def _named(wish: Forget, known: Sequence[Held], stays: Sequence[Forget]) -> list[Held]:
    """Return the facts that a wish names, or else those that share most words with its sentence."""
    if names_something(wish):
        meant = [held for part in parts_of(wish) for held in _meant(part, known)]
        if meant:
            return meant
    shares = {
        held: share
        for held in known
        if not _is_spared(held, stays) and ((share := shared_with(wish, held.words)) > 1 or not _is_safe(held, wish))
    }
    most = max(shares.values(), default=0)
    return [held for held, share in shares.items() if most and share == most]


def _meant(part: Forget, known: Sequence[Held]) -> list[Held]:
    is_meant = about(part)
    meant = [held for held in known if is_meant(held.text) and not _is_safe(held, part)]
    return meant[-1:] if aliases_of(part) else meant


def _is_safe(held: Held, wish: Forget) -> bool:
    """Whether a rule has but one word in common with what may be no wish on it: "forget the password bug"."""
    if (
        held.file != "constraints.md"
        or not _ORDER.match(held.text)
        or wish.language is not ENGLISH
        or wish.language.of_rules.search(wish.said)
    ):
        return False
    return shared_with(wish, held.words) < 2


def _newest(wishes: Sequence[Forget], newest: Sequence[Held], stays: Sequence[Forget]) -> list[Held]:
    """Return the facts of the turn before that may be meant.

    A wish that names what is not known means the one fact beside those that may stay, or none; one that speaks of no
    rule means what was said of the person.
    """
    left = [held for held in newest if not _is_spared(held, stays)]
    if any(names_something(wish) and not wish.language.recent.search(wish.what) for wish in wishes):
        return left if len(left) == 1 < len(newest) else []
    of_person = [held for held in left if held.file in PERSONAL]
    speaks_of_rules = any(wish.language.of_rules.search(wish.said) for wish in wishes)
    return of_person if of_person and not speaks_of_rules else left


def _is_spared(held: Held, stays: Iterable[Forget]) -> bool:
    return any(about(stay)(held.text) or shared_with(stay, held.words) for stay in stays)


def _spares(stays: Sequence[Forget]) -> Test:
    tests = [about(stay) for stay in stays]
    return lambda text: any(test(text) for test in tests)


def _rest(text: str, is_meant: Test, is_spared: Test) -> str:
    """Return a line without the clauses that are meant, '' when none is left that says something by itself."""
    parts = [part for part in _BETWEEN.split(text) if part.strip()]
    gone = {part for part in parts if is_meant(part) and not is_spared(part)} or set(parts)
    left = [part for part in parts if is_spared(part) or (part not in gone and _stands(part))]
    said = ("，" if language_of(text) is not ENGLISH else ", ").join(left)
    said = _SO.sub("", said, count=1) if _SO.match(said) else said
    return said[:1].upper() + said[1:] if leaves_out(text, said) else ""


def _stands(part: str) -> bool:
    """Whether a clause says something without those around it."""
    if _FOLLOWS.match(part) or _POINTS_BACK.search(part):
        return False
    language = language_of(part)
    if language is ENGLISH:
        return bool(_BY_ITSELF.match(part))
    return weigh_clause(mask(part), language) >= STANDING
