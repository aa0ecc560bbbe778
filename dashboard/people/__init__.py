"""Users, roles, sign-in, key pairs, workspaces, and who asks."""
