"""Floor 2: the memory directory. Entries, proposals -> draft, acceptance, apply, recall."""
