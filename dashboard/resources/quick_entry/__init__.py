"""An entry in one line: its grammar, its words, and the forms that it fills."""
