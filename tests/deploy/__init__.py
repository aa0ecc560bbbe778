"""The examples of dashboard/deploy with real servers."""
