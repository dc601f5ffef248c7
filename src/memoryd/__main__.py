"""`python -m memoryd`: the same as the console script."""

from memoryd.daemon.main import main

main()
