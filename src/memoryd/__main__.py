"""`python -m memoryd` is the console script."""

from memoryd.daemon.main import main

main()
