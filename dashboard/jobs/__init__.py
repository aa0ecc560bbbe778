"""Jobs: work of many writes or reads that outlives a request, done in short turns by workers."""
