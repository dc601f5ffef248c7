"""The one question about related candidates. Its answer can only better a run: when it fails, nothing is decided."""

import asyncio

from pydantic_ai import Agent, ModelRetry, TextOutput
from pydantic_ai.settings import ModelSettings
from pydantic_core import to_json

from memoryd.worker.agents.asking import prompt
from memoryd.worker.agents.asking.deciding import Decision, read, schema
from memoryd.worker.agents.brief import AgentFault
from memoryd.worker.agents.model.faults import fault_of
from memoryd.worker.agents.model.paying import PayingModel

OUT_TOKENS = 3000  #: for the decisions about as many candidates as are asked about at once
MARGIN_SECONDS = 3.0  #: of a run's time, to end without an answer


async def decisions(model: PayingModel, question: str) -> tuple[Decision, ...]:
    """Ask once, as text, which every model can; none where there is no call, token or time left, or no answer."""
    latest = model.limits.ends_mono - MARGIN_SECONDS
    if asyncio.get_running_loop().time() >= latest:
        return ()
    settings = ModelSettings(max_tokens=OUT_TOKENS, thinking=False)
    try:
        told = await asyncio.to_thread(lambda: prompt.alone("deciding", to_json(schema()).decode()))
        agent = Agent(model, output_type=TextOutput(_read), instructions=told, model_settings=settings, retries=0)
        async with asyncio.timeout_at(latest):
            return (await agent.run(question)).output
    except Exception as error:
        if not isinstance(error, AgentFault) and fault_of(error, model.endpoint, "") is None:
            raise
        return ()


def _read(text: str) -> tuple[Decision, ...]:
    try:
        return read(text)
    except ValueError as error:
        raise ModelRetry("no decisions") from error
