"""What operators see of a running process: log lines and metrics."""
