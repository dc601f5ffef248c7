"""A process of the index: `python -m memoryd.memory.search.process read|write PATH`.

One JSON object a line in, one out, until its input ends; the daemon's death ends it too. An import of tantivy and an
open index cost 15 MB (a writer 60) that no process gives back, and a file that is cut off under a memory map kills the
process that reads it: so the daemon has neither.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoryd.memory.search.index import IndexReader, IndexWriter
from memoryd.memory.search.port import Damaged

Answer = dict[str, Any]
NICE = 10  #: of a writer: whoever waits for an answer comes first


def main() -> None:
    mode, path = sys.argv[1], Path(sys.argv[2])
    answer = _reading(path) if mode == "read" else _writing(path)
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(_guarded(answer, json.loads(line))) + "\n")
        sys.stdout.flush()


def _reading(path: Path) -> Callable[[Answer], Answer]:
    reader = IndexReader(path)
    return lambda asked: {"hits": reader.search(**asked)} if asked else {"state": reader.state()}


def _writing(path: Path) -> Callable[[Answer], Answer]:
    os.nice(NICE)
    writer = IndexWriter(path)

    def apply(asked: Answer) -> Answer:
        writer.apply(**asked)
        return {}

    return apply


def _guarded(answer: Callable[[Answer], Answer], asked: Answer) -> Answer:
    try:
        return answer(asked)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the engine is no Exception
        damaged = isinstance(error, Damaged | ValueError) or not isinstance(error, Exception)
        return {"error": f"{type(error).__name__}: {error}"[:500], "damaged": damaged}


if __name__ == "__main__":
    main()
