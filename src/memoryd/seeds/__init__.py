"""Floor 2: the files of a new memory directory."""

from memoryd.seeds.language import pick_language
from memoryd.seeds.sets import files, shipped_hashes, upgraded_skill

__all__ = ["files", "pick_language", "shipped_hashes", "upgraded_skill"]
