"""The agent that asks a model over its API. pydantic-ai is loaded by the first call, in the child alone."""

import asyncio
from importlib import import_module
from typing import Any

from memoryd.worker.agents.brief import AgentFault, Brief, Comparing, Done, Purse, Work, incomparable
from memoryd.worker.agents.question import Answering, Looking, Question, Told

__all__ = ["answer", "work"]


async def work(brief: Brief, purse: Purse, comparing: Comparing = incomparable) -> Done:
    """Ask the configured model what is worth keeping.

    :raises AgentFault: for everything that can go wrong outside
    """
    run: Work = await asyncio.to_thread(_load, "running", "run")  # for seconds, so not on the loop
    return await run(brief, purse, comparing)


async def answer(question: Question, purse: Purse, looking: Looking) -> Told:
    """Ask the configured model about memory that is there already.

    :raises AgentFault: for everything that can go wrong outside
    """
    ask: Answering = await asyncio.to_thread(_load, "answering", "answer")
    return await ask(question, purse, looking)


def _load(module: str, name: str) -> Any:
    try:
        return getattr(import_module(f"memoryd.worker.agents.model.{module}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("memoryd"):
            raise
        raise AgentFault("configuration", "kind = 'model' wants its library: pip install 'memoryd[llm]'") from error
