"""The setup of a workspace: what its lists lack, and a way to fill them from existing records."""
