"""One index over entries, core lines, session summaries and past messages: derived, disposable, in its own process."""
