"""Floor 3: `enqueue_latest`, the consolidation worker, and the memory agents."""
