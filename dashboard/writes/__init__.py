"""The only writer of business records, and how the result of a write is verified."""
