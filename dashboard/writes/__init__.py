"""The only writer: ledger, drafts, deletions, checks of unknown outcomes."""
