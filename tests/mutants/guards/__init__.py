"""The guards, by the promise that they hold. A new one in the source gets a row here."""

from mutants.guards import durable, outside, runs, words

ALL = (
    *durable.DURABLE,
    *durable.ONCE,
    *runs.RUNS,
    *runs.PEOPLE,
    *runs.COSTS,
    *words.SECRETS,
    *words.WHO_SAID_IT,
    *outside.OUTSIDE,
)
