"""Pages that show records of several resources around one: a contact with all that is theirs."""
