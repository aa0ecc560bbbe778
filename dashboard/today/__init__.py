"""The page Today: what is due, who owes, and what the person left undone."""
