"""Work that outlives a request: engine, pages, bulk changes, exports."""
