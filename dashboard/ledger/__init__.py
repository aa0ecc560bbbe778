"""The ledger: writes stored before they are sent, their outcome, and locks on records."""
