"""One external memory provider: any MCP memory server, by configuration, beside our own memory and never in its way."""
