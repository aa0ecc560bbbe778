"""What became of writes: unfinished forms, the page of a write, history, error pages."""
