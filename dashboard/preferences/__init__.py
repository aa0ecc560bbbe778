"""Settings of a workspace and remembered choices, from which forms take initial values."""
