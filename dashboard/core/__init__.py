"""The base of all other packages: encrypted columns, retention, templates, logs."""
