"""Lists, pages and forms of business records. Names no resource: each is declared as data."""
