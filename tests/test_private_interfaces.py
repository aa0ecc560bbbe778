"""The dashboard uses public interfaces of its dependencies only."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "dashboard"
PACKAGES = r"(allauth|django|django_htmx|environ|gunicorn|httpcore|httpx|jinja2)"
PRIVATE = {
    "allauth internals": r"\ballauth[.\w]*\.internal\b",
    "gunicorn internals": r"\bfrom gunicorn\b|\bimport gunicorn\.|[\"']gunicorn\.(http|workers)",
    "h11 of an httpcore connection": r"\._h11\b",
    "compiled SQL of a query": r"\.sql_with_params\b|\.get_compiler\(",
    "key of a session": r"\._session_key\b",
    "errors of a form": r"\._errors\b",
    "base manager of a model": r"\._base_manager\b|\._default_manager\b",
    "cache of a relation": r"\b(set|get)_cached_value\b|\._prefetched_objects_cache\b",
    "C library": r"\bctypes\b|\bmallopt\b",
    "scheduling": r"\bsched_setaffinity\b|\bsetswitchinterval\b",
    "socket options": r"\bTCP_CORK\b",
    "rewritten request": r"\brequest\.(method|GET|POST|path|path_info) = ",
    "private name of a package": rf"\b(from|import) {PACKAGES}[.\w]*\._"
    rf"|\bfrom {PACKAGES}[.\w]* import _",
}
# Files that still use some: file -> names of PRIVATE.
PENDING: dict[str, set[str]] = {}


def private_uses(source: str) -> set[str]:
    """The names in PRIVATE whose patterns a source matches; comments count as well."""
    return {name for name, pattern in PRIVATE.items() if re.search(pattern, source)}


def test_no_module_uses_a_private_interface():
    found = {
        str(path.relative_to(PACKAGE)): uses
        for path in sorted(PACKAGE.rglob("*.py"))
        if (uses := private_uses(path.read_text(encoding="utf-8")))
    }
    assert found == PENDING


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from allauth.account.internal.flows import login", "allauth internals"),
        ("import allauth.mfa.internal", "allauth internals"),
        ("from gunicorn.workers.gthread import ThreadWorker", "gunicorn internals"),
        (
            "connection._connection._h11_state\nconnection._h11.their_state",
            "h11 of an httpcore connection",
        ),
        ("rows.query.sql_with_params()", "compiled SQL of a query"),
        ("self._session_key = None", "key of a session"),
        ("form._errors = {}", "errors of a form"),
        ("type(row)._base_manager.all()", "base manager of a model"),
        ("field.set_cached_value(user, pair)", "cache of a relation"),
        ("import ctypes", "C library"),
        ("os.sched_setaffinity(0, {1})", "scheduling"),
        ("sys.setswitchinterval(0.05)", "scheduling"),
        ("request.POST = data", "rewritten request"),
        ('request.method = "GET"', "rewritten request"),
        ("from django.utils._os import safe_join", "private name of a package"),
        ("from jinja2 import _helper", "private name of a package"),
    ],
)
def test_a_private_use_is_found(source, name):
    assert name in private_uses(source)


@pytest.mark.parametrize(
    "source",
    ['if request.method == "POST":', "user._meta.get_field(name)", "str(gunicorn.workers)"],
)
def test_public_interfaces_are_not_reported(source):
    assert not private_uses(source)
