"""A daemon whose agent does what `agent_child` offers: `python -P agent_daemon.py [ignored...]`, not `memoryd serve`.

`[agent] model` names the act; its base_url, time and kind hold too.
"""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from memoryd.daemon import config as configuration
from memoryd.daemon import logs
from memoryd.daemon.daemon import Daemon
from memoryd.daemon.handlers import table
from memoryd.ipc import places as placing
from memoryd.worker.agents.brief import Settings
from support.agents import child_agent


async def serve() -> None:
    config = configuration.load(placing.find().config)
    places = configuration.places_of(config)
    logs.configure(config, places.data)
    agent = child_agent(places.data, config.agent.model)
    daemon = await Daemon.open(places, config, agent=agent)
    agent.name, agent.ledger, agent.places = config.agent.kind, daemon.ledger, daemon.agents.places
    wanted = config.agent.model_dump(include={"kind", "model", "base_url", "timeout_seconds"})
    agent.settings = lambda: Settings.model_validate(wanted)
    daemon.handle_signals()
    try:
        await daemon.start(table(daemon))
        await daemon.run()
    finally:
        await daemon.close()


if __name__ == "__main__":
    asyncio.run(serve())
