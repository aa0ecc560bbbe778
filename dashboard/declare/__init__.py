"""How a resource is declared as data: its parts, the whole, and the checks of a declaration."""
