"""The provider's process: a keeper, which works on nothing, and below it the bridge with the server that it starts."""

import os
import sys

from memoryd.worker.agents.child import keeper
from memoryd.worker.agents.child.order import Order

LOOK_SECONDS = 2.0  #: between two looks at what is used: it lives longer than a run


def main() -> None:
    order = Order.parse(sys.argv[-1])
    keeper.adopt_orphans()
    bridge = os.fork()
    os._exit(keeper.keep(bridge, order, look_seconds=LOOK_SECONDS) if bridge else _bridge())


def _bridge() -> int:
    keeper.end_with_parent()
    from memoryd.ipc.mcp import bridge  # below the keeper alone: it loads the SDK

    bridge.main()
    return 0


main()
