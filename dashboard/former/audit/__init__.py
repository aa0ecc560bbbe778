"""The table of the history until release 0.1; ledger/ has taken its rows over."""
