"""The providers of models that memoryd knows: where each is, how its key is named, which interface it speaks.

A table alone: the daemon reads it to resolve what is configured, the child of the model agent to reach it.
"""

import re
from dataclasses import dataclass
from typing import Literal

Grade = Literal["large", "small", "tiny"]
"""How large a model is: `model.grades` says how each is asked."""

SMALL_BILLIONS = 14.0  #: a model of fewer parameters is asked once, for short answers about short parts
TINY_BILLIONS = 4.0  #: one of fewer is asked for lines alone, and the rules write


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One row."""

    name: str
    base_url: str
    key_env: str = ""  #: '' where none is needed
    interface: Literal["openai", "anthropic"] = "openai"
    prices: str = ""  #: its name in genai-prices; '': nothing is paid
    host_model: str = ""  #: for `use_host_credentials`: a cheap one that can do the work
    any_server: bool = False  #: others speak for it, with models of any size

    @property
    def hosted(self) -> bool:
        """Whether it is somebody's service: models are large, tools work, a key is needed."""
        return bool(self.key_env)


#: in the order in which `use_host_credentials` looks for a key
PROVIDERS = {
    row.name: row
    for row in (
        Provider(
            name="anthropic", base_url="https://api.anthropic.com", key_env="ANTHROPIC_API_KEY", interface="anthropic",
            prices="anthropic", host_model="claude-haiku-4-5",
        ),
        Provider(
            name="openai", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY", prices="openai",
            host_model="gpt-5.6-luna", any_server=True,
        ),
        Provider(
            name="gemini", base_url="https://generativelanguage.googleapis.com/v1beta/openai", key_env="GEMINI_API_KEY",
            prices="google", host_model="gemini-3.5-flash-lite",
        ),
        Provider(
            name="deepseek", base_url="https://api.deepseek.com", key_env="DEEPSEEK_API_KEY", prices="deepseek",
            host_model="deepseek-flash",
        ),
        Provider(name="ollama", base_url="http://127.0.0.1:11434/v1", any_server=True),
    )
}  # fmt: skip

_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model at a place."""

    provider: Provider
    model: str
    base_url: str

    @property
    def is_own(self) -> bool:
        """Whether it is the provider's own address, where it is known what works."""
        return self.provider.hosted and self.base_url == self.provider.base_url

    @property
    def grade(self) -> Grade:
        """By the parameters that its name tells; where it tells none, small when anybody may serve it."""
        size = _SIZE.search(self.model)
        if size is None:
            return "small" if self.provider.any_server and not self.is_own else "large"
        billions = float(size[1]) / (1 if size[2] in "bB" else 1000)
        return "tiny" if billions < TINY_BILLIONS else "small" if billions < SMALL_BILLIONS else "large"

    @property
    def id(self) -> str:
        """By which the daemon remembers what works there."""
        return f"{self.provider.name}:{self.model} {self.base_url}"


def endpoint(model: str, base_url: str = "") -> Endpoint:
    """Read `provider:name`.

    :raises ValueError: no such provider, or no name; the sentence says which there are
    """
    provider, _, name = model.partition(":")
    if provider not in PROVIDERS or not name:
        raise ValueError(f"model {model[:80]!r} is not PROVIDER:NAME; the providers are {', '.join(PROVIDERS)}")
    row = PROVIDERS[provider]
    return Endpoint(provider=row, model=name, base_url=(base_url or row.base_url).rstrip("/"))
