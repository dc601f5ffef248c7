"""A model for one run: connected, paying, bounded in calls, tokens and time; what goes wrong becomes a fault."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from memoryd.worker.agents import providers
from memoryd.worker.agents.brief import AgentFault, Purse, Settings
from memoryd.worker.agents.model import clients
from memoryd.worker.agents.model.faults import fault_of
from memoryd.worker.agents.model.paying import Limits, PayingModel
from memoryd.worker.agents.providers import Endpoint


@contextlib.asynccontextmanager
async def opened(settings: Settings, purse: Purse, *, calls: int) -> AsyncIterator[PayingModel]:
    """A model that can be asked until its time is over.

    :raises AgentFault: see the table in `faults`, for whatever the block raises
    """
    endpoint = _endpoint(settings)
    try:
        async with asyncio.timeout(settings.timeout_seconds) as limit:
            async with clients.connected(endpoint, settings) as model:
                limits = Limits(calls=calls, tokens=settings.tokens_per_run, ends_mono=limit.when() or 0.0)
                yield PayingModel(model, endpoint=endpoint, purse=purse, limits=limits)
    except Exception as error:
        fault = error if isinstance(error, AgentFault) else fault_of(error, endpoint, settings.key_name)
        if fault is None:
            raise
        raise fault from error


def _endpoint(settings: Settings) -> Endpoint:
    try:
        return providers.endpoint(settings.model, settings.base_url)
    except ValueError as error:
        raise AgentFault("configuration", f"{error}; correct [agent] model") from error
