"""One record: its page, panels, forms, conflicts, deletion, repeats."""
