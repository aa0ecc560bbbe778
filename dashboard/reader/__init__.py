"""The service as one person sees it: lists read to their end, titles, records, and their cache."""
