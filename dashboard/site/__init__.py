"""The frame of every page: middleware, menu, help, errors, checks at the start."""
