"""One search over all resources, pages and commands: the palette, and its page without scripts."""
