"""Changes of many records at once: chosen in a list, shown before they are sent, run as a job."""
