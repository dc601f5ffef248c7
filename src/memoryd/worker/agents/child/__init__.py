"""An agent that asks a model, in a child process: the daemon's side (`agent`) and the child's (`__main__`).

`python -P -m memoryd.worker.agents.child ORDER` is a *keeper*, which forks the *agent* and outlives it: the agent
enters the cage, reads one `Brief` and works; the keeper ends it and everything that it started.
"""
