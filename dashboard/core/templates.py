"""The rendering of pages and emails: the Jinja2 environment and what templates call; URLs."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from datetime import date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from django import forms
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template import engines
from django.templatetags.static import static
from django.urls import reverse, set_script_prefix
from django.utils import timezone
from django.utils.dateformat import format as formatted
from jinja2 import ChainableUndefined, Environment, select_autoescape
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from dashboard.core.request_log import request_id
from dashboard.core.service_name import SERVICE, SERVICE_AT_START


def environment(**options: Any) -> Environment:
    """Create the environment. Called by Django's Jinja2 backend with the OPTIONS of
    settings.TEMPLATES.
    """
    options |= {
        "autoescape": select_autoescape(["html"]),  # emails are plain text
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": ChainableUndefined,  # most of a context is optional: `failure.field`
    }
    env = Environment(**options)  # noqa: S701  # nosec B701 # autoescape is set above
    env.globals |= {"import_map": import_map, "request_id": request_id, "static_url": static_url}
    env.globals |= {"service": SERVICE, "service_at_start": SERVICE_AT_START}
    # As filters: Jinja2 computes a filter of constants once, when it compiles the template.
    env.filters |= {"icon": icon, "asset": asset, "page_url": page_url}
    env.filters |= {"module": module, "script": script, "style": style}
    env.filters["date"] = date_as
    env.filters["undo"] = undo_of
    env.filters["browser"] = browser_in_words
    return env


def prepare_templates() -> None:
    """Compile all templates of pages and emails, with the addresses that they name."""
    set_script_prefix(settings.FORCE_SCRIPT_NAME or "/")
    env: Environment = engines["jinja2"].env  # type: ignore[attr-defined]
    for name in env.list_templates(extensions=["html", "txt"]):
        env.get_template(name)


UNDO = "undo "  # begins the tags of a message with an Undo


def undo_tags(url: str, fields: Iterable[tuple[str, str]]) -> str:
    """Return the extra tags of a message whose Undo posts these fields to this URL."""
    return UNDO + urlencode([("url", url), *fields])


def undo_of(tags: str) -> list[tuple[str, str]]:
    """Return the URL ("url") and the fields of such tags; [] for others."""
    return parse_qsl(tags.removeprefix(UNDO)) if tags.startswith(UNDO) else []


@cache
def asset(name: str) -> str:
    return static(name)


@cache
def icon(name: str) -> str:
    """Return an icon of static/icons.svg; site.css has its size and strokes. Decoration only: the
    words beside it carry the meaning. Raises KeyError for a name that the file lacks.
    """
    if name not in _icon_names():
        raise KeyError(f"static/icons.svg has no icon {name!r}: python -m tests.icons {name}")
    drawn = '<svg class="i" aria-hidden="true"><use href="{}#{}"/></svg>'
    return _element(drawn, asset("icons.svg"), name)


@cache
def _icon_names() -> frozenset[str]:
    text = Path(str(finders.find("icons.svg"))).read_text(encoding="utf-8")
    return frozenset(re.findall('<symbol id="([^"]+)"', text))


def page_url(name: str, *args: int | str) -> str:
    texts = (quote(arg) if isinstance(arg, str) else arg for arg in args) if args else ()
    return _pattern(name, len(args)) % tuple(texts)


@lru_cache(maxsize=500)
def _pattern(name: str, count: int) -> str:
    """Return an address with %s in place of its arguments: `reverse` is asked once for each page of
    ours, as a list has a hundred addresses. The path that the site is served under is one of the
    process (FORCE_SCRIPT_NAME).
    """
    marks = [f"98765432{number}" for number in range(count)]
    url = reverse(name, args=marks).replace("%", "%%")
    for mark in marks:
        url = url.replace(mark, "%s")
    return url


@cache
def script(name: str) -> str:
    """Return the element of a script that is not a module."""
    return _element('<script src="{}" defer></script>', asset(name))


@cache
def modules() -> dict[str, Path]:
    """Return the JavaScript modules of static/js/ by their import names."""
    root = Path(str(finders.find("js")))
    paths = sorted(root.rglob("*.js"))
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in paths}


@cache
def import_map() -> str:
    """Return the import map as JSON. The policy for contents names the hash of this text, as it
    stands in the page itself.
    """
    addresses = {name: asset(f"js/{name}.js") for name in modules()}
    return htmlsafe_json_dumps({"imports": addresses}, separators=(",", ":"))


def import_map_hash() -> str:
    digest = hashlib.sha256(import_map().encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


@cache
def module(name: str) -> str:
    """Return the elements that load a module and all its imports at once: a browser would find the
    imports of one only when it has come. Every page loads "site" first.
    """
    there = set() if name == "site" else _with_imports("site")
    ahead = sorted(_with_imports(name) - there - {name})
    links = '<link rel="modulepreload" href="{}">\n' * len(ahead)
    loads = '<script type="module" src="{}" data-module="{}"></script>'
    addresses = [asset(f"js/{each}.js") for each in (*ahead, name)]
    return _element(links + loads, *addresses, name)


_IMPORTED = re.compile(r'^(?:import|(?:import|}).* from) "(.+)";', re.MULTILINE)


def _with_imports(name: str) -> set[str]:
    found, ahead = set(), [name]
    while ahead:
        each = ahead.pop()
        if each not in found:
            found.add(each)
            ahead += _IMPORTED.findall(modules()[each].read_text(encoding="utf-8"))
    return found


@cache
def style(name: str) -> str:
    return _element('<link rel="stylesheet" href="{}">', asset(name))


def _element(drawn: str, *values: str) -> Markup:
    return Markup(drawn).format(*values)  # noqa: S704  # nosec B704 # no other text is drawn


def static_url() -> str:
    """Return the URL of static files without a lookup, for the page of a server error."""
    return str(settings.STATIC_URL)


def date_as(value: date, pattern: str) -> str:
    """Return a date or time in Django's date format; an aware time in the current time zone."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    return formatted(value, pattern)


BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
"""What names a browser in the header; several name themselves Chrome or Safari as well."""
SYSTEMS = {
    "Windows": "Windows",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


def browser_in_words(user_agent: str) -> str:
    """Return a text such as "Firefox on Windows"; "Unknown browser" for neither."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return f"{browser or 'Unknown browser'} on {system}" if system else browser or "Unknown browser"


def address(
    resource: str,
    record_id: int | None = None,
    page: str = "",
    query: dict[str, str] | None = None,
) -> str:
    """Return the address of a page of a resource: /contacts/, /contacts/17/, /contacts/17/edit/.

    resource: the name of its endpoint. page: its name in `urls_for`; "" for the list or the record.
    Raises NoReverseMatch where the resource has no such page.
    """
    args = () if record_id is None else (record_id,)
    url = page_url(f"{resource}:{page or ('detail' if args else 'list')}", *args)
    return f"{url}?{urlencode(query)}" if query else url


def absolute_url(url: str) -> str:
    """Return the URL of a page of this site, below SITE_URL if that is set."""
    site, parts = urlsplit(settings.SITE_URL), urlsplit(url)
    if not site.netloc:
        return url
    return parts._replace(scheme=site.scheme, netloc=site.netloc).geturl()


# Control characters, other line breaks, and what changes the direction of the text after it.
_NOT_ON_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def validate_one_line(text: str) -> None:
    """Raise ValidationError for a text that would change what stands around it in an email
    or log.
    """
    if _NOT_ON_A_LINE.search(text):
        raise forms.ValidationError("Use one line without control characters.", code="not_a_line")


_SPECIAL = re.compile("[&<>\"']")


def escaped(value: object) -> str:
    """Escape a text for HTML, unless it is safe; most texts have nothing to escape."""
    return value if type(value) is str and not _SPECIAL.search(value) else str(escape(value))
