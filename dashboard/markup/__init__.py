"""How pages are drawn, whatever they show: templates, forms, and the addresses in both."""
