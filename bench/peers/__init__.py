"""The same jobs by other tools, `make bench PEERS=1`: a section of the report."""

from bench.peers.comparing import BESIDE, TITLE, section

__all__ = ["BESIDE", "TITLE", "section"]
