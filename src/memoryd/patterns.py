"""Regular expressions that are compiled at their first use: those of all modules together slow a start down."""

import re
from typing import Any, cast


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return an expression that is compiled when it is first asked something; the functions of `re` do not take it."""
    return cast(re.Pattern[str], _Lazy(pattern, flags))
