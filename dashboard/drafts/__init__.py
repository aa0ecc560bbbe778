"""Stores what is not sent yet: drafts of forms, and pending deletions."""
