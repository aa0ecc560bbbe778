"""Scans: lists read to their end, for filters that the service lacks."""
