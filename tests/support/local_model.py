"""A real model behind llama.cpp's own OpenAI-compatible server, in a child process that ends with its standard input.

python tests/support/local_model.py FILE.gguf      # prints its address
"""

import contextlib
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

CONTEXT_TOKENS = 8192
START_SECONDS = 60.0
_ONE_THREAD = 1  #: two that wait for each other on a busy machine are ten times slower


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A server that answers."""

    url: str  #: its interface, `/v1` included
    pid: int

    def counted(self) -> tuple[int, int]:
        """Tokens that the server itself has read and written since its start, without those it knew from before."""
        address = f"{self.url.removesuffix('/v1')}/metrics"
        with urllib.request.urlopen(address, timeout=10) as answer:
            rows = dict(
                line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if line[:1] not in ("", "#")
            )
        return int(rows["llamacpp:prompt_tokens_total"]), int(rows["llamacpp:tokens_predicted_total"])


@contextlib.contextmanager
def serving(weights: Path, *, remembers: bool = True) -> Iterator[LocalModel]:
    """A server of one slot on a port of its own; ended whatever happens.

    :param remembers: a prompt's beginning that it has just read is not read again, nor counted by `counted`
    """
    command = [sys.executable, "-P", __file__, str(weights), *(() if remembers else ("forgetful",))]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as server:
        late = threading.Timer(START_SECONDS, server.kill)
        late.start()
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            late.cancel()
            if not address:
                raise RuntimeError(f"the server of {weights.name} does not start; is xllamacpp installed?")
            yield LocalModel(url=f"{address}/v1", pid=server.pid)
        finally:
            late.cancel()
            server.kill()


def main(weights: str, *how: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx, params.n_parallel = CONTEXT_TOKENS, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _ONE_THREAD
    params.offline, params.ui, params.warmup, params.endpoint_metrics = True, False, False, True
    params.cache_prompt, params.cache_ram_mib = "forgetful" not in how, 0 if how else 256
    server = xllamacpp.Server(params)  # it listens as long as somebody holds it
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
