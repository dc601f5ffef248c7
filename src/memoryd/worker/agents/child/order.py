"""What a child may touch and use, as the daemon orders it: the last word of its command line. It holds no secret."""

import json
from dataclasses import asdict, dataclass

MEGABYTE = 1024 * 1024
LAST_WORDS = "at log level debug the daemon prints its last words"  #: what to do about an agent that crashed


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The cage of one run."""

    work: str  #: its only folder: empty, its working directory, and where temporary files go
    reads: tuple[str, ...] = ()  #: beside the system's and the program's own
    writes: tuple[str, ...] = ()  #: beside `work`
    ports: tuple[int, ...] | None = ()  #: TCP ports that it may connect to; None: all
    modes: bool = False  #: it may change modes and times of files, of any that are the person's
    memory_bytes: int = 1024 * MEGABYTE  #: of all its processes together
    address_bytes: int = 0  #: of one process; 0: no limit, because some programs reserve far more than they use
    processes: int = 64
    cpu_seconds: int = 300  #: of one process
    called: str = "the agent"  #: in the sentence of a fault
    allow_uncaged: bool = False
    inside: bool = False  #: it runs in the other program's cage already

    def line(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def parse(cls, line: str) -> "Order":
        """:raises ValueError: no order"""
        found = json.loads(line)
        try:
            ports = None if found["ports"] is None else tuple(found.pop("ports"))
            lists = {name: tuple(found.pop(name)) for name in ("reads", "writes")}
            return cls(**found | lists | {"ports": ports})
        except (TypeError, KeyError) as error:
            raise ValueError(f"no order: {error}") from error
