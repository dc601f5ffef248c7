"""When dreaming is due: a cron expression by the local clock. The door of cronsim, which is loaded where one is set.

An expression names times of the wall clock. One that a change to summer time skips comes an hour later, one that comes
twice in autumn counts once; times that passed while nobody ran are made up for by a single one.
"""

from datetime import UTC, datetime


def check(expression: str) -> str:
    """Accept an expression of five fields: minute, hour, day, month, day of the week.

    :raises ValueError: it is none, or names no time at all
    """
    from cronsim import CronSim, CronSimError  # most configurations name no schedule

    said = f"{expression!r} is no cron expression of five fields that names a time, such as '0 3 * * *'"
    if len(expression.split()) != 5:
        raise ValueError(said)
    try:
        next(CronSim(expression, datetime(2026, 1, 1)))
    except (CronSimError, StopIteration) as error:
        raise ValueError(said) from error
    return expression


def next_after(expression: str, moment: datetime) -> datetime:
    """Return the first time after an aware moment that the expression names, in UTC, by the rules of the local zone."""
    from cronsim import CronSim

    wall = CronSim(expression, moment.astimezone().replace(tzinfo=None, fold=0))
    stamps = (time.replace(fold=0).timestamp() for time in wall)  # not astimezone, which is wrong in a skipped hour
    return next(due for due in (datetime.fromtimestamp(stamp, UTC) for stamp in stamps) if due > moment)
