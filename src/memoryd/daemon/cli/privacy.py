"""privacy: what is stored where, what is kept out, what leaves the machine."""

from collections.abc import Iterator

from memoryd.clock import utc_now
from memoryd.daemon.cli import asking, screen
from memoryd.daemon.cli.root import MORE, Json, app
from memoryd.daemon.cli.screen import Column
from memoryd.daemon.cli.times import ago, local
from memoryd.ipc.methods.daemon import Privacy


@app.command(rich_help_panel=MORE)
def privacy(json: Json = False) -> None:
    """Show what is stored where, what is kept out, and what leaves this machine.

    Kinds, counts and sizes; never a value.

    Example: [cyan]memoryd privacy[/]
    """
    found: Privacy = asking.ask("privacy.get")
    if json:
        screen.as_json(found)
        return
    screen.say("Stored on this machine, for you alone")
    screen.show(screen.table(_STORED, [(s.what, str(s.files), _size(s.bytes), s.path) for s in found.stored]))
    screen.say(f"in the journal: {', '.join(f'{number} {table}' for table, number in found.rows.items())}")
    for heading, rows in (
        ("Kept out", _kept_out(found)), ("Limits", _limits(found)), ("Leaves this machine", _outgoing(found)),
    ):  # fmt: skip
        screen.say("\n".join(["", heading, *rows]))


_STORED = (
    Column(title="what", fold=True),
    Column(title="files", right=True, columns=screen.NARROW),
    Column(title="size", right=True),
    Column(title="where", fold=True, columns=80),
)


def _kept_out(found: Privacy) -> Iterator[str]:
    if not found.redacted:
        yield "nothing was replaced so far"
    for kind in found.redacted:
        yield f"{kind.count:>6} x {kind.label}, last {ago(kind.last_at, utc_now())}"


def _limits(found: Privacy) -> Iterator[str]:
    scanner = "" if found.scanner == "off" else f"; secret scanner {found.scanner}"
    yield f"secrets are replaced; personal data: {found.pii}{scanner}"
    yield f"events are kept for {found.retention_days} days, at most {_size(found.retention_max_bytes)}"
    yield f"hook payloads that were not understood are kept, redacted, for {found.quarantine_days} days"
    left_out = [*found.exclude, *([] if found.record_headless else ["headless runs"])]
    yield f"not recorded: {', '.join(left_out) or 'nothing is excluded'}"
    for pause in found.pauses:
        until = f"until {local(pause.until)}" if pause.until else "until `memoryd resume`"
        where = f"for {pause.memory_dir}" if pause.memory_dir else "everywhere"
        yield f"recording is paused {where} since {local(pause.since)}, {until}"
    passed = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in found.passed_over.items() if number)
    if passed:
        yield f"hook firings passed over since the start: {passed}"


def _outgoing(found: Privacy) -> Iterator[str]:
    yield from (f"what the {way.what} reads goes to: {way.where}" for way in found.outgoing)
    if not found.outgoing:
        yield "nothing: no model, no embedder, no telemetry is configured"


def _size(count: int) -> str:
    """Bytes in the largest unit."""
    for size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"
