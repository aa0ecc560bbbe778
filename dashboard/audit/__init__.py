"""The history: who did what to which record, with what result. Append-only."""
