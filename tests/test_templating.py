"""The Jinja2 environment of pages and mails, and which pages it renders."""

import ast
import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.conf import settings as project
from django.template import engines
from django.template.backends import jinja2 as ours
from django.template.loader import get_template
from django.urls import URLPattern, URLResolver, get_resolver
from jinja2 import DictLoader

from dashboard.core.templates import date_as, environment, icon, prepare_templates

PACKAGE = Path(project.BASE_DIR) / "dashboard"
SAFE = {
    "Markup",
    "SafeString",
    "SafeText",
    "mark_safe",
    "format_html",
    "format_html_join",
    "html_safe",
}
# Functions ("module: function") or modules that create safe strings -> why no template does it.
SAFE_PLACES = {
    "schema/values.py": "a value draws itself: rows of values are most of a page's work",
    "office/reference_fields.py: _ListField": "a form field's help text carries a link",
    "office/reference_fields.py: where_to_find": "the same link, for a line of a document",
    "core/templates.py: _element": "icons, scripts and styles are one element for every template",
    "site/shell.py: _menu": "a template draws it once for many pages",
    "site/shell.py: Shell": "the same menu",
    "site/shell.py: _csrf_input": "the field of the token is one for all forms of a page",
}
TEMPLATES = Path(project.BASE_DIR) / "templates"


def pages(patterns: list[URLPattern | URLResolver]) -> list[URLPattern]:
    found: list[URLPattern] = []
    for one in patterns:
        found += pages(one.url_patterns) if isinstance(one, URLResolver) else [one]
    return found


def test_every_template_compiles(subtests):
    for path in sorted(TEMPLATES.rglob("*.*")):
        with subtests.test(path.name):
            assert get_template(str(path.relative_to(TEMPLATES))).backend is engines["jinja2"]


def test_the_cache_has_room_for_all_templates(monkeypatch):
    env = engines["jinja2"].env
    monkeypatch.setattr(env, "cache", env.cache.copy())
    env.cache.clear()
    prepare_templates()
    own = {str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.*")}
    assert own <= {name for _, name in env.cache}


def test_every_linked_page_of_allauth_has_a_jinja2_template():
    accounts = next(one for one in get_resolver().url_patterns if str(one.pattern) == "accounts/")
    names = {
        getattr(getattr(one.callback, "view_class", None), "template_name", None)
        for one in pages(accounts.url_patterns)
    }
    html = {name for name in names if name and name.endswith(".html")}
    assert len(html) >= 10
    for name in html:
        assert isinstance(get_template(name), ours.Template), name


def test_text_is_escaped_on_pages_and_not_in_mails():
    sources = {"page.html": "{{ text }}", "mail.txt": "{{ text }}"}
    env = environment(loader=DictLoader(sources))
    assert env.get_template("page.html").render(text="<b>") == "&lt;b&gt;"
    assert env.get_template("mail.txt").render(text="<b>") == "<b>"


def test_an_icon_that_the_file_lacks_is_an_error_that_says_what_adds_it():
    with pytest.raises(KeyError, match=r"tests\.icons anvil"):
        icon("anvil")


def test_dates_are_formatted_in_the_time_zone_of_the_site(settings):
    settings.TIME_ZONE = "Europe/Berlin"
    assert date_as(date(2026, 3, 1), "j M Y") == "1 Mar 2026"
    assert date_as(datetime(2026, 7, 1, 22, 30, tzinfo=UTC), "j M Y, H:i") == "2 Jul 2026, 00:30"
    assert date_as(datetime(2026, 7, 1, 22, 30), "j M Y, H:i") == "1 Jul 2026, 22:30"


def safe_places(module: str, source: str) -> set[str]:
    """The functions of a module that create safe strings, as "module: function"."""
    found = set()
    for outer in ast.parse(source).body:
        if isinstance(outer, ast.Import | ast.ImportFrom):
            continue
        nodes = list(ast.walk(outer))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        if names & (SAFE | {"__html__"}) or "__html__" in {getattr(n, "name", "") for n in nodes}:
            found.add(f"{module}: {getattr(outer, 'name', 'module level')}")
    return found


def test_python_creates_safe_strings_only_in_the_listed_functions():
    found = set()
    for path in PACKAGE.rglob("*.py"):
        module = str(path.relative_to(PACKAGE))
        if not module.startswith("standin/"):
            places = safe_places(module, path.read_text(encoding="utf-8"))
            found |= {module} if places and module in SAFE_PLACES else places
    assert found == set(SAFE_PLACES)
    assert len(SAFE_PLACES) <= 7


@pytest.mark.parametrize(
    "source",
    [
        "def cell(value): return SafeString(value)",
        "def cell(value): return html.format_html('<b>{}</b>', value)",
        "def cell(value) -> 'Markup':\n    return markupsafe.Markup(value)",
        "class Cell:\n    def __html__(self): return '<b>'",
        "EMPTY = mark_safe('')",
    ],
)
def test_a_planted_safe_string_is_found(source):
    assert safe_places("cells.py", source)


def test_no_template_turns_escaping_off():
    for path in TEMPLATES.rglob("*.html"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape", source), path
