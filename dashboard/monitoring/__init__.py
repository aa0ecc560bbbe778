"""What operators see of a running process: log lines and metrics; limits of use per person."""
