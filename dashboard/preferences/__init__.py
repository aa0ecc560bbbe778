"""What the office has settled and what people did last, so that forms begin where they left off."""
