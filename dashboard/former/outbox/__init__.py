"""The table of writes until release 0.1; ledger/ has taken its rows over."""
