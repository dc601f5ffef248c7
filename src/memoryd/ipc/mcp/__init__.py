"""The MCP server: a process of its own on stdio, thin over the socket. Never imported by the daemon (extra `mcp`)."""
