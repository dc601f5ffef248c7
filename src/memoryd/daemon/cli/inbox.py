"""The screen of `memoryd review`: what waits on one side, the whole of it on the other, one key for each decision."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from memoryd.clock import utc_now
from memoryd.daemon.cli.screen import harmless
from memoryd.daemon.cli.times import ago
from memoryd.errors import MemorydError
from memoryd.ipc.client import AsyncClient
from memoryd.ipc.methods.review import ReviewDecided, ReviewItem

PAGE = 200  #: items that are read at once
CALL_SECONDS = 30.0

_NAMES = {
    "save": "new memory",
    "supersede": "replaces a memory",
    "lines": "lines of a file",
    "archive": "puts a memory away",
    "contradiction": "two memories that contradict each other",
    "dream": "keeps coming back",
    "outside": "written outside memoryd",
    "draft": "was not taken in",
}
_KEYS = {
    "outside": "a  leave it as it is    r  put back what stood there",
    "draft": "r  take it off the list",
}
_ACCEPT = "a  accept    e  edit, then accept    r  reject"
_CHOICES = {
    "contradiction": "a  keep the first    s  keep the second    e  edit, then keep that    r  both may stand",
}
_TELL = (*_KEYS, "dream")  #: kinds that wait for nobody
_WORDS = {"accept": "accepted", "reject": "rejected"}
_HEADS = ("+++", "---", "@@")  #: of a diff, which say nothing of what changed
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


class InboxScreen(App[None]):
    """Lists what waits and sends one decision a key."""

    TITLE = "memoryd review"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #state { height: 1; padding: 0 1; background: $panel; }
    #items { width: 40%; height: 1fr; border: none; border-right: solid $panel; }
    #page { width: 1fr; height: 1fr; padding: 0 1; }
    .-narrow Horizontal { layout: vertical; }
    .-narrow #items { width: 100%; height: 35%; border-right: none; border-bottom: solid $panel; }
    EditScreen { align: center middle; }
    EditScreen TextArea { width: 90%; height: 60%; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (90, "-wide")]  # noqa: RUF012 (declared by textual)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('accept')", "accept"),
        Binding("s", "keep_second", "keep the second", show=False),
        Binding("e", "edit", "edit"),
        Binding("r", "decide('reject')", "reject"),
        Binding("u", "undo", "undo"),
        Binding("j", "move(1)", "next", show=False),
        Binding("k", "move(-1)", "previous", show=False),
        Binding("g", "reload", "reload"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, socket: Path, cwd: str | None = None) -> None:
        super().__init__()
        self._client = AsyncClient(socket)
        self._cwd = cwd
        self._items: dict[str, ReviewItem] = {}
        self._decided: dict[str, str] = {}  #: id -> accepted or rejected, the latest last

    def compose(self) -> ComposeResult:
        yield Static(id="state")
        with Horizontal():
            yield OptionList(id="items")
            with VerticalScroll(id="page"):
                yield Static(id="text")
        yield Footer()

    async def on_mount(self) -> None:
        await self.action_reload()

    async def on_unmount(self) -> None:
        await self._client.close()

    async def action_reload(self) -> None:
        """Read the inbox again; what was decided leaves the list."""
        found = await self._ask("review.list", {"limit": PAGE, **({"cwd": self._cwd} if self._cwd else {})})
        if found is None:
            return
        self._items = {item.id: item for item in found.items}
        self._decided.clear()
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(self._row(item), id=item.id) for item in found.items])
        options.highlighted = 0 if found.items else None
        options.focus()
        self._show()

    async def action_keep_second(self) -> None:
        """Of two memories that contradict each other, the second is so."""
        if (item := self._current()) and item.kind == "contradiction":
            await self.action_decide("accept", keep="second")

    async def action_decide(self, decision: str, text: str | None = None, keep: str | None = None) -> None:
        """Accept or reject what is highlighted, and go on to the next that waits."""
        item = self._current()
        if item is None or item.id in self._decided:
            return
        said = {"text": text, "keep": keep}
        params = {"id": item.id, "decision": decision, **{name: one for name, one in said.items() if one is not None}}
        done: ReviewDecided | None = await self._ask("review.decide", params)
        if done is None:
            return
        self._decided[item.id] = _WORDS[decision]
        self._tell(f"{_WORDS[decision]}{_of(done)}", done)
        self._redraw(item)
        self._next_waiting()

    def action_edit(self) -> None:
        """Word it otherwise, then accept those words."""
        item = self._current()
        if item is None or item.id in self._decided:
            return
        if item.words is None:
            self.notify("there are no words to change here: accept or reject it", severity="warning")
            return
        self.push_screen(EditScreen(item.words), self._edited)

    async def _edited(self, text: str | None) -> None:
        if text is not None and text.strip():
            await self.action_decide("accept", text)

    async def action_undo(self) -> None:
        """Take back the decision that is highlighted, else the latest one."""
        current = self._current()
        ident = current.id if current and current.id in self._decided else next(reversed(self._decided), None)
        if ident is None:
            self.notify("nothing was decided here; `memoryd undo` takes older changes back", severity="warning")
            return
        done = await self._ask("review.decide", {"id": ident, "decision": "undo"})
        if done is None:
            return
        del self._decided[ident]
        self._tell(f"taken back{_of(done)}; it waits again", done)
        self._redraw(self._items[ident])
        options = self.query_one(OptionList)
        options.highlighted = options.get_option_index(ident)

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def on_option_list_option_highlighted(self) -> None:
        self._show()

    def _current(self) -> ReviewItem | None:
        index = self.query_one(OptionList).highlighted
        return None if index is None else list(self._items.values())[index]

    def _next_waiting(self) -> None:
        options = self.query_one(OptionList)
        idents = list(self._items)
        start = options.highlighted or 0
        around = [*range(start + 1, len(idents)), *range(start)]
        options.highlighted = next((n for n in around if idents[n] not in self._decided), start)
        self._show()

    def _redraw(self, item: ReviewItem) -> None:
        self.query_one(OptionList).replace_option_prompt(item.id, self._row(item))
        self._show()

    def _show(self) -> None:
        item = self._current()
        text = Text("Nothing waits for you.") if item is None else page(item, self._decided.get(item.id))
        self.query_one("#text", Static).update(text)
        self.query_one("#page").scroll_home(animate=False)
        self.query_one("#state", Static).update(self._state())

    def _state(self) -> str:
        left = [item for ident, item in self._items.items() if ident not in self._decided]
        told = sum(item.kind in _TELL for item in left)
        return f"memoryd review   {len(left) - told} wait for your word, {told} to look at"

    def _row(self, item: ReviewItem) -> Text:
        word = self._decided.get(item.id)
        rows = [row for row in harmless(item.text).splitlines() if row.strip() and not row.startswith(_HEADS)]
        found = Text(no_wrap=True, overflow="ellipsis", style="dim" if word else "")
        found.append(f"{word or _NAMES.get(item.kind, item.kind)}", style="bold green" if word else "bold")
        found.append(f"  {item.scope}, {ago(item.at, utc_now())}\n{next(iter(rows[1:] or rows), '')}")
        return found

    async def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        try:
            return await self._client.call(method, params, timeout=CALL_SECONDS)
        except MemorydError as error:
            self.notify(str(error), severity="error", timeout=10, markup=False)
            return None

    def _tell(self, sentence: str, done: ReviewDecided) -> None:
        self.notify("\n".join((sentence, *done.warnings, *done.conflicts)), markup=False)


class EditScreen(ModalScreen[str | None]):
    """The proposed words, to be worded otherwise."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "done", "accept these words", priority=True),
        Binding("escape", "dismiss(None)", "leave it", priority=True),
    ]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        yield TextArea(self._words, soft_wrap=True)
        yield Footer()

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)

    def action_done(self) -> None:
        self.dismiss(self.query_one(TextArea).text)


def page(item: ReviewItem, word: str | None) -> Text:
    """All that is known of one item: what would change, why it waits, the words it rests on and where they stand."""
    found = Text()
    found.append(_NAMES.get(item.kind, item.kind), style="bold")
    found.append(f", {_place(item)}\n\n")
    for row in harmless(item.text).splitlines():
        found.append(f"{row}\n", style=_COLOURS.get(row[:1], ""))
    found.append("\nWhy it waits  ", style="bold")
    found.append(f"{harmless(item.reason)}\n")
    if item.quotes:
        found.append("\nRests on\n", style="bold")
    for quote, source in zip(item.quotes, item.sources, strict=True):
        found.append(f"  {harmless(quote)}\n")
        found.append(f"  {harmless(source)}\n", style="dim")
    keys = "u  take it back" if word else (_KEYS | _CHOICES).get(item.kind, _ACCEPT)
    found.append(f"\n{word}   {keys}" if word else f"\n{keys}", style="dim")
    return found


def _place(item: ReviewItem) -> str:
    """Whose memory, with the key of a project."""
    return f"project {Path(item.memory_dir).parent.name}" if item.scope == "project" else f"{item.scope} memory"


def _of(done: ReviewDecided) -> str:
    return f" (run {done.run[:8]})" if done.run else ""
