"""Summaries of old sessions -> `long-term/<year-month>.md`, with how often which words came and what was used. Pure.

The summaries themselves move to `long-term/`, unchanged and with what they rest on. A month's page follows from the
summaries of the month that are there: made again it is the same.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta

from memoryd.ipc.redaction import redact
from memoryd.memory import generated
from memoryd.memory.changes import Cited, Ours, decode, encode
from memoryd.memory.matured import Written
from memoryd.memory.model import LONG_TERM_DIR, SESSION_DIR, FileKey, Root
from memoryd.memory.procedures import keywords
from memoryd.memory.text import bare, cut
from memoryd.memory.words import CJK
from memoryd.patterns import lazy

OLD_DAYS = 7  #: what is older is merged
STAY = 5  #: newest summaries that stay whatever their age: recall tells them
KEYWORDS, TOP = 30, 10
LINE_CHARS, MAX_CITES = 160, 400
DONE = "Done (in the agent's words)"
_NAME = lazy(r"(?:sessions|long-term)/(\d{4}-\d\d-\d\d)-[a-z0-9-]+\.md\Z")
_RUN = lazy(rf"[{CJK}]+|[^\W{CJK}]+")
_COUNT = lazy(r"([^,\s][^,]*?) (\d+)(?:,|\Z)")


def merge(
    base: Mapping[FileKey, bytes], *, root: Root, today: date, ours: Ours, persons: Collection[str] = ()
) -> Written:
    """Return what changes in one root.

    :param ours: the events that a line rests on
    :param persons: paths whose newest version a person made: a summary of theirs, or one put back by an undo, stays
    """
    written, after = Written(), dict(base)
    for key in _old(base, root, today):
        if key.path in persons:
            continue
        moved = FileKey(root, f"{LONG_TERM_DIR}/{key.path.rpartition('/')[2]}")
        written.changes[key] = (base[key], None)
        written.changes[moved] = (base.get(moved), base[key])
        after[moved] = base[key]
        rows = {bare(row): ours(key, bare(row)) for row in decode(base[key]).split("\n") if bare(row)}
        written.citations += [Cited(key=moved, line=row, seqs=tuple(seqs)) for row, seqs in rows.items() if seqs]
    cited = {(one.key, one.line): one.seqs for one in written.citations}
    for month in sorted({_date(key.path)[:7] for key in written.changes}):
        _page(written, after, root, month, lambda key, line: cited.get((key, line)) or ours(key, line))
    return written


def _old(base: Mapping[FileKey, bytes], root: Root, today: date) -> list[FileKey]:
    """The summaries that are old enough, the oldest first; the newest of all stay."""
    known = sorted((k for k in base if k.root is root and k.path.startswith(f"{SESSION_DIR}/")), key=lambda k: k.path)
    limit = (today - timedelta(days=OLD_DAYS)).isoformat()
    return [key for key in known[:-STAY] if _NAME.match(key.path) and _date(key.path) < limit]


def _date(path: str) -> str:
    found = _NAME.match(path)
    return found[1] if found else ""


def _page(written: Written, files: Mapping[FileKey, bytes], root: Root, month: str, ours: Ours) -> None:
    """Write the page of a month anew; what a person wrote around it stays."""
    kept = [k for k in sorted(files, reverse=True) if k.root is root and k.path.startswith(f"{LONG_TERM_DIR}/{month}-")]
    texts = {key: decode(files[key]) for key in kept if _NAME.match(key.path)}
    rests = {key: _rests_on(key, text, ours) for key, text in texts.items()}
    together = tuple(sorted({seq for seqs in rests.values() for seq in seqs}))[-MAX_CITES:]
    told = {f"{_session(key, text)}": rests[key] for key, text in texts.items()}
    shared = dict.fromkeys((*_keywords(texts.values()), *_patterns(texts.values())), together)
    page = FileKey(root, f"{LONG_TERM_DIR}/{month}.md")
    old = files.get(page)
    rows = [
        "## Keywords", *_items(_keywords(texts.values())), "", "## Patterns", *_items(_patterns(texts.values())), "",
        f"## Sessions ({len(texts)})", *_items(told),
    ]  # fmt: skip
    new = encode(generated.put(decode(old or b"") or f"# {month}\n", "\n".join(rows)))
    if new != old:
        written.changes[page] = (old, new)
    written.citations += [Cited(key=page, line=row, seqs=seqs) for row, seqs in {**told, **shared}.items() if seqs]


def _rests_on(key: FileKey, text: str, ours: Ours) -> tuple[int, ...]:
    rows = {bare(row) for row in text.split("\n") if bare(row)}
    return tuple(sorted({seq for row in rows for seq in ours(key, row) or ()}))


def _items(rows: Iterable[str]) -> list[str]:
    return [f"- {row}" for row in rows if redact(row) == row]


def _keywords(texts: Collection[str]) -> list[str]:
    """The words that more than one session had, as they were written most, each with in how many."""
    sessions, written = Counter[str](), dict[str, Counter[str]]()
    for text in texts:
        forms = _words(text)
        sessions.update({word for word, _ in forms})
        for word, form in forms:
            written.setdefault(word, Counter())[form] += 1
    common = sorted((-count, word) for word, count in sessions.items() if count > 1)[:KEYWORDS]
    told = [f"{min(written[word], key=lambda form: (-written[word][form], form))} {-n}" for n, word in common]
    return [", ".join(told)] if told else []


def _words(text: str) -> list[tuple[str, str]]:
    """The keywords of what was asked and done, each with the form in which it was written."""
    said = "\n".join([*_section(text, "Asked"), *_section(text, DONE)])
    runs = ((run, keywords(run)) for run in _RUN.findall(said))
    return [(word, run.casefold() if len(found) == 1 else word) for run, found in runs for word in found]


def _patterns(texts: Collection[str]) -> list[str]:
    """Which tools were used, how turns ended, which files changed in more than one session."""
    files = Counter(
        row.removesuffix(" (changed)")
        for text in texts
        for row in set(_section(text, "Files"))
        if row.endswith(" (changed)")
    )
    often = sorted((-count, path) for path, count in files.items() if count > 1)[:TOP]
    changed = [f"{path} ({-n})" for n, path in often]
    parts = {"tools": _summed(texts, "Tools"), "turns": _summed(texts, "Outcome"), "changed again": ", ".join(changed)}
    return [f"{name}: {told}" for name, told in parts.items() if told]


def _summed(texts: Collection[str], title: str) -> str:
    total: Counter[str] = Counter()
    for text in texts:
        for row in _section(text, title):
            total.update({name: int(count) for name, count in _COUNT.findall(row)})
    return ", ".join(f"{name} {-n}" for n, name in sorted((-n, name) for name, n in total.items())[:TOP])


def _session(key: FileKey, text: str) -> str:
    asked, done = _section(text, "Asked"), _section(text, DONE)
    said = cut(asked[0] if asked else "nothing asked", LINE_CHARS)
    result = f" -> {cut(done[-1], LINE_CHARS)}" if done else ""
    return f"{_date(key.path)} {said}{result} ({key.path.rpartition('/')[2]})"


def done(summary: str) -> list[str]:
    """What an agent says in a session's summary that it did, bare."""
    return _section(summary, DONE)


def _section(text: str, title: str) -> list[str]:
    """The rows below a heading of a summary, bare."""
    _, found, rest = f"\n{text}".partition(f"\n## {title}\n")
    return [bare(row) for row in rest.partition("\n## ")[0].split("\n") if bare(row)] if found else []
