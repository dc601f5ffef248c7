"""`python -P -m memoryd.worker.agents.child ORDER`: an agent in its child process."""

from memoryd.worker.agents.child.process import main

main()
