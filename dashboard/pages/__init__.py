"""The views of every resource, and what their pages are made of."""
