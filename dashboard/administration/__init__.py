"""What administrators and operators do: staff, members, setup, backup, commands."""
