"""The page Figures: sums and counts of what the service lists, drawn and as tables."""
