"""Forms of records, their fields and pickers."""
