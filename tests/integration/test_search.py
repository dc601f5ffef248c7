"""Search through a real daemon: the index follows by itself, and answers never wait for it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from support.daemons import client, running, until

from memoryd.daemon.daemon import Daemon
from memoryd.ipc.client import AsyncClient
from memoryd.memory.directory import MemoryDirectory
from memoryd.memory.sight import Sight

ENTRIES = {
    "Database": "We use PostgreSQL because we need JSONB.",
    "头发": "我的頭髮很長。",
    "Code": "Call getUserById in src/app/main.py, never the column user_by_id.",
    "検索": "カタカナとひらがなの検索エンジン、한국어 검색.",
    "Width": "ｆｕｌｌ　ｗｉｄｔｈ text",
}
QUERIES = {
    "postgresql": "Database", "头发": "头发", "頭髮": "头发", "发": "头发", "头发很": "头发", "getUserById": "Code",
    "user_by_id": "Code", "src/app/main.py": "Code", "main.py": "Code", "検索": "検索", "カ": "検索", "검색": "検索",
    "full": "Width", "ＦＵＬＬ": "Width",
}  # fmt: skip


async def names(one: AsyncClient, cwd: str, query: str, **rest: object) -> list[str]:
    found = await one.call("memory.search", {"cwd": cwd, "query": query, **rest}, timeout=10)
    return [item.name for item in found.items]


async def save(one: AsyncClient, cwd: str, name: str, content: str) -> None:
    await one.call("memory.save", {"cwd": cwd, "name": name, "type": "project", "content": content}, timeout=10)


async def indexed(daemon: Daemon, one: AsyncClient, cwd: str) -> None:
    """Ask once, so that the index knows what it lacks, and let it catch up."""
    await names(one, cwd, "anything")
    assert await daemon.indexer.catch_up()


@pytest.mark.parametrize("through_the_index", [False, True])
async def test_every_language_symbols_and_paths_are_found(home: Path, project: str, through_the_index: bool) -> None:
    async with running(home) as daemon, client(daemon) as one:
        for name, content in ENTRIES.items():
            await save(one, project, name, content)
        if through_the_index:
            await indexed(daemon, one, project)
        for query, name in QUERIES.items():
            if through_the_index or query not in ("user_by_id",):
                assert (await names(one, project, query))[:1] == [name], query
        assert await names(one, project, "頭髮 postgresql", match="any")
        assert await names(one, project, "need jsonb", match="phrase") == ["Database"]
        assert await names(one, project, "頭髮", match="literal") == ["头发"]
        assert await names(one, project, "头发很", match="literal") == []
        assert await names(one, project, "postg", match="prefix") == ["Database"]


async def test_what_was_changed_or_forgotten_is_never_found_by_its_old_words(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await save(one, project, "Database", "We use PostgreSQL.")
        await indexed(daemon, one, project)
        note = next(iter(daemon.places.data.glob("projects/*/memory/knowledge/database.md")))
        text = await asyncio.to_thread(note.read_text)
        await asyncio.to_thread(note.write_text, text.replace("PostgreSQL", "SQLite"))
        assert await names(one, project, "postgresql") == []
        assert await names(one, project, "sqlite") == ["Database"]
        await indexed(daemon, one, project)
        await asyncio.to_thread(note.unlink)
        assert await names(one, project, "sqlite") == []


def edit(note: Path, to: Path | None = None) -> None:
    (to or note).write_text(note.read_text().replace("PostgreSQL", "SQLite"))


def replace(note: Path) -> None:
    """As most editors save."""
    edit(note, note.with_suffix(".new"))
    note.with_suffix(".new").replace(note)


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": edit,
    "replaced": replace,
    "removed": Path.unlink,
    "moved": lambda note: note.rename(note.with_name("other.md")),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_question_looks_only_at_what_it_shows_and_shows_nothing_stale(
    home: Path, project: str, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.memory.sight._RACY_NS", 0)  # files are as old as they would be some seconds later
    monkeypatch.setattr("memoryd.memory.shelf.LOOK_SECONDS", 60.0)
    async with running(home) as daemon, client(daemon) as one:
        for name, content in {"Database": "We use PostgreSQL.", "Deploy": "It runs on hetzner."}.items():
            await save(one, project, name, content)
        await indexed(daemon, one, project)
        looks = looks_at_all(monkeypatch)
        assert await names(one, project, "postgresql") == ["Database"]
        assert looks == []
        note = next(iter(daemon.places.data.glob("projects/*/memory/knowledge/database.md")))
        await asyncio.to_thread(CHANGES[change], note)
        found = await one.call("memory.search", {"cwd": project, "query": "postgresql"}, timeout=10)
        assert [item.path for item in found.items] == (["knowledge/other.md"] if change == "moved" else [])
        assert looks
        assert await names(one, project, "sqlite") == ["Database"] * (change in ("edited", "replaced"))


async def test_a_file_that_came_is_found_at_once_and_one_rewritten_in_place_within_seconds(
    home: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd.memory.sight._RACY_NS", 0)
    monkeypatch.setattr("memoryd.memory.shelf.LOOK_SECONDS", 60.0)
    async with running(home) as daemon, client(daemon) as one:
        await save(one, project, "Database", "We use PostgreSQL.")
        await indexed(daemon, one, project)
        note = next(iter(daemon.places.data.glob("projects/*/memory/knowledge/database.md")))
        await asyncio.to_thread(note.with_name("deploy.md").write_text, "It runs on hetzner.")
        assert await names(one, project, "hetzner") == ["deploy"]
        await asyncio.to_thread(note.write_text, "We use SQLite.")
        monkeypatch.setattr("memoryd.memory.shelf.LOOK_SECONDS", 0.0)  # they have passed
        assert await names(one, project, "sqlite") == ["database"]


def looks_at_all(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The directories whose files are all looked at from now on."""
    looks, look = list[Path](), MemoryDirectory.look

    def counted(self: MemoryDirectory) -> Sight:
        looks.append(self.path)
        return look(self)

    monkeypatch.setattr(MemoryDirectory, "look", counted)
    return looks


async def test_two_projects_of_one_name_never_see_each_other(home: Path, tmp_path: Path) -> None:
    twins = [tmp_path / side / "lantern" for side in ("a", "b")]
    for twin in twins:
        twin.mkdir(parents=True)
    async with running(home) as daemon, client(daemon) as one:
        for twin, word in zip(twins, ("hetzner", "scaleway"), strict=True):
            await save(one, str(twin), "Deploy", f"It runs on {word}.")
        for look in (False, True):
            if look:
                for twin in twins:
                    await indexed(daemon, one, str(twin))
            assert await names(one, str(twins[0]), "runs") == ["Deploy"]
            assert await names(one, str(twins[0]), "scaleway") == []
            assert await names(one, str(twins[1]), "hetzner", match="any") == []


@pytest.mark.parametrize("harm", ["garbage", "cut", "gone"])
async def test_a_damaged_index_is_built_again_while_answers_keep_coming(home: Path, project: str, harm: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await save(one, project, "Database", "We use PostgreSQL.")
        await indexed(daemon, one, project)
        daemon.indexer.gather_seconds = 0.0
        await asyncio.to_thread(spoil, daemon.places.data / "index", harm)
        for _ in range(5):
            assert await names(one, project, "postgresql") == ["Database"]

        async def built() -> bool:
            assert await names(one, project, "postgresql") == ["Database"]
            return bool(daemon.indexer._state and daemon.indexer._state.roots) and not daemon.indexer.fault

        await until(built)


def spoil(index: Path, harm: str) -> None:
    for file in [path for path in index.rglob("*") if path.is_file()]:
        if harm == "gone":
            file.unlink()
        else:
            file.write_bytes(b"\xff" * 64 if harm == "garbage" else file.read_bytes()[: file.stat().st_size // 2])


async def test_a_restart_goes_on_where_the_index_stands(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await save(one, project, "Database", "We use PostgreSQL.")
        await indexed(daemon, one, project)
        state = daemon.indexer._state
    async with running(home) as daemon, client(daemon) as one:
        assert await daemon.indexer.catch_up()
        assert daemon.indexer._state == state
        assert await names(one, project, "postgresql") == ["Database"]


async def test_a_purge_leaves_no_word_on_the_disk(home: Path, project: str) -> None:
    async with running(home) as daemon, client(daemon) as one:
        await save(one, project, "Database", "We use zyzzyvadb.")
        await indexed(daemon, one, project)
        folder = daemon.places.data / "index"
        assert await asyncio.to_thread(folder.exists)
        await daemon.indexer.purge()
        assert not await asyncio.to_thread(folder.exists)
        assert await names(one, project, "zyzzyvadb") == ["Database"]
