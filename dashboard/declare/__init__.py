"""How a resource is declared as data: itself, its filters, and the checks of a declaration."""
