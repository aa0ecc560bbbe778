"""What contacts, leads, deals, tasks and documents declare, and pages that only they have."""
