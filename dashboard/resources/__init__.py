"""Declarations of contacts, leads, deals, tasks and documents, and pages that only they have."""
