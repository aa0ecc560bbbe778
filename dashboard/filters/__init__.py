"""The filters of lists: how each is read from an address, sent or applied here, and drawn."""
