import asyncio
from pathlib import Path

from support.versions import MemoryVersions

from memoryd.memory.model import Root
from memoryd.memory.shelf import Shelf


async def test_one_at_a_time_writes_a_directory_and_those_of_other_projects_wait_for_the_users_alone() -> None:
    shelf = Shelf(versions=MemoryVersions(), seeds=dict)
    user, here, there = Path("/m/user"), Path("/m/here"), Path("/m/there")
    held, inside = asyncio.Event(), asyncio.Event()

    async def hold(*, roots: dict[Root, Path]) -> None:
        async with shelf.locked(roots):
            inside.set()
            await held.wait()

    async def passes(*paths: Path) -> bool:
        async with asyncio.timeout(5), shelf.locked_paths(paths):
            return not held.is_set()

    holding = asyncio.create_task(hold(roots={Root.PROJECT: here, Root.USER: user}))
    await inside.wait()
    waiting = [asyncio.create_task(passes(path)) for path in (here, user)]
    assert await passes(there)
    entered, _ = await asyncio.wait(waiting, timeout=0.1)
    assert not entered
    held.set()
    assert await asyncio.gather(*waiting) == [False, False]
    await holding
