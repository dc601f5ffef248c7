"""Floor 4: the process. Wiring, configuration, journal, sessions, observing, services, command line."""
