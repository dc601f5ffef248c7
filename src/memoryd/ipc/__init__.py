"""Floor 1: what crosses the socket. Events, methods, framing, server, clients, hook, spool, hosts."""
