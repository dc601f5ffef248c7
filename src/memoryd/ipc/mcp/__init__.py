"""The Model Context Protocol: our server, and our client of another one; each in a process of its own (extra `mcp`).

`lines` alone, which needs no SDK, is imported by the daemon.
"""
