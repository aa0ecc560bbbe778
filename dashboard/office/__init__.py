"""The office's own data: reference lists, settings, saved choices, setup steps."""
