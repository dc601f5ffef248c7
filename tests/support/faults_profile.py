"""How long the fault tests run: `MEMORYD_FAULTS` = quick (default) or full; `MEMORYD_SEED` repeats a run."""

import os
import random

FULL = os.environ.get("MEMORYD_FAULTS", "quick") == "full"
SEED = int(os.environ.setdefault("MEMORYD_SEED", str(random.SystemRandom().randrange(2**32))))  # one for all processes


def pick(*, quick: int, full: int) -> int:
    return full if FULL else quick


def dice(test: str) -> random.Random:
    """The randomness of one test; its seed is printed, so that a failure can be run again."""
    print(f"{test}: MEMORYD_SEED={SEED}")
    return random.Random(f"{SEED} {test}")
