"""memoryd: a local daemon that remembers for coding agents."""

__version__ = "0.1.0"
