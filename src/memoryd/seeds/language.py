"""Which language a new memory directory speaks."""

import re
from collections.abc import Iterable, Mapping

CHINESE_SHARE = 0.3  #: of the letters that a person wrote
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")


def pick_language(env: Mapping[str, str], texts: Iterable[str] = ()) -> str:
    """Return `zh` or `en`: by what the person wrote, else by the locale (LC_ALL, LC_MESSAGES, LANG)."""
    said = "\n".join(texts)
    letters = sum(map(str.isalpha, said))
    if letters:
        chinese = len(_HAN.findall(said)) >= CHINESE_SHARE * letters and not _KANA_OR_HANGUL.search(said)
        return "zh" if chinese else "en"
    locale = next((env[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if env.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"
