"""The agent that asks a model over its API. pydantic-ai is loaded by the first call, in the child alone."""

import asyncio
from importlib import import_module

from memoryd.worker.agents.brief import AgentFault, Brief, Done, Purse, Work

__all__ = ["work"]


async def work(brief: Brief, purse: Purse) -> Done:
    """Ask the configured model what is worth keeping.

    :raises AgentFault: for everything that can go wrong outside
    """
    run = await asyncio.to_thread(_load)  # for seconds, so not on the loop
    return await run(brief, purse)


def _load() -> Work:
    try:
        run: Work = import_module("memoryd.worker.agents.model.running").run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("memoryd"):
            raise
        raise AgentFault("configuration", "kind = 'model' wants its library: pip install 'memoryd[llm]'") from error
    return run
