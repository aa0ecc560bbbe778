"""What surrounds every page: middleware, the frame, help, errors, checks at the start."""
