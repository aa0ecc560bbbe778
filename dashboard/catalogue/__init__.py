"""Reference lists that the API has no endpoint for: kept by people, and learned from records."""
