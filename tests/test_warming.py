"""What is loaded at the start."""

from dashboard import shell, warming


def test_every_template_compiles_and_the_shell_is_drawn():
    shell.menu_html.cache_clear()
    shell.bar_html.cache_clear()
    warming.warm_up()
    assert shell.menu_html.cache_info().currsize == 1
    assert shell.bar_html.cache_info().currsize == 1
