"""Who did what to which record, with what result: written once, never changed."""
