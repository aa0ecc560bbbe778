"""The API key pairs of people, stored encrypted, and the workspaces they belong to."""
