"""What every room needs: encrypted columns, retention, templates, logs."""
