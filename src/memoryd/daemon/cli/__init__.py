"""The command line: typer and rich, imported in its own process only; the daemon never loads them."""
