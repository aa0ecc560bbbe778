"""Tables of earlier releases, with their migrations; the next release drops them."""
