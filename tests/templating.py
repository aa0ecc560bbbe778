"""The template environment of the tests: printing a value that the context lacks is an error."""

from typing import Any

from jinja2 import ChainableUndefined, Environment

from dashboard.core.templates import environment as dashboard_environment


class UnprintableUndefined(ChainableUndefined):
    """May be asked about, as most of a context is optional, and not printed."""

    __str__ = ChainableUndefined._fail_with_undefined_error


def environment(**options: Any) -> Environment:
    env = dashboard_environment(**options)
    env.undefined = UnprintableUndefined
    return env
