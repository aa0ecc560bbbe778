"""Administration and operation: staff, members, setup, backup, commands."""
