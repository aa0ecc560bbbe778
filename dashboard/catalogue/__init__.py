"""Reference lists that the API has no endpoint for: edited by people, completed from records."""
