"""Structured logs: `noun.verb` with ids, sizes and codes; never memory text, never a prompt."""

import logging
import logging.handlers
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryd.daemon.config import Config, Logs
from memoryd.daemon.lean import RICH, without
from memoryd.errors import ConfigError
from memoryd.ipc.redaction import redact

with without(*RICH):
    import structlog

from memoryd.daemon.logkeeper import LogKeeper
from memoryd.daemon.logstore import Caps, LogStore

if TYPE_CHECKING:
    from structlog.typing import Processor


def configure(config: Config, data: Path) -> None:
    """Log to stderr, to the log store, and as JSON to a rotated file when `[logs] file` names one."""
    level = logging.getLevelNamesMapping()[config.daemon.log_level.upper()]
    handlers = [*_handlers(config), *_keepers(config.logs, data)]
    logging.basicConfig(level=level, handlers=handlers, format="%(message)s", force=True)
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def settle() -> None:
    """Write what waits for the log store, bounded. At the end of the process."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, LogKeeper):
            handler.settle()


def _keepers(settings: Logs, data: Path) -> list[logging.Handler]:
    if not settings.store:
        return []
    caps = Caps(session_rows=settings.session_rows, session_bytes=settings.session_bytes, days=settings.days)
    return [LogKeeper(LogStore(data / "logs.db", caps))]


def redacted(logger: Any, method: str, event: Any) -> Any:
    """An error nobody expected may quote what it met."""
    if "exception" in event:
        event["exception"] = redact(event["exception"])
    return event


_SHARED: "list[Processor]" = [
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    redacted,
]


def _handlers(config: Config) -> list[logging.Handler]:
    stderr = logging.StreamHandler(sys.stderr)
    json_lines = config.daemon.log_format == "json"
    stderr.setFormatter(
        _formatter(_json() if json_lines else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()))
    )
    if not config.logs.file:
        return [stderr]
    path = Path(config.logs.file).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        rotated = logging.handlers.RotatingFileHandler(
            path, maxBytes=config.logs.max_bytes, backupCount=config.logs.keep, encoding="utf-8"
        )
        path.chmod(0o600)
    except OSError as error:
        raise ConfigError(f"cannot log to {path}: {error.strerror}; correct [logs] file") from error
    rotated.setFormatter(_formatter(_json()))
    return [stderr, rotated]


def _json() -> Any:
    return structlog.processors.JSONRenderer(ensure_ascii=False)


def _formatter(renderer: Any) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        foreign_pre_chain=_SHARED,
    )
