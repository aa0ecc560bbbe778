"""What keeps an installation running: whether it is ready, and figures for its operators."""
