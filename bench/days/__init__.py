"""A simulated user over sixty days: what a new session is told, held against what is true on that day."""
