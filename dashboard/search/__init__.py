"""The palette, its page, and the index of callers."""
