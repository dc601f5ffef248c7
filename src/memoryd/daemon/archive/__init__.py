"""Everything out and in: export, import-archive, backup, export as a git history."""
