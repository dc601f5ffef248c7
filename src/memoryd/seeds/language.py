"""Which language a new memory directory speaks."""

from collections.abc import Mapping


def pick_language(env: Mapping[str, str]) -> str:
    """Return `zh` or `en` by the locale: the first of LC_ALL, LC_MESSAGES and LANG that says something."""
    locale = next((env[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if env.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"
