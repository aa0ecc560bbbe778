"""Tags that every page uses, cheap enough to use often."""

import re
from functools import cache

import lucide
from django import template
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

PATHS = re.compile(r'<path d="[^"]*"/>(?:<path d="M[^"]*"/>)+')  # that may as well be one
# What lucide repeats on every icon is said once, in site.css.
SAID_IN_CSS = re.compile(r' (?:fill="none"|stroke[\w-]*="[^"]*")')


@register.simple_tag
@cache
def icon(name: str, size: int = 16) -> SafeString:
    """A lucide icon as inline SVG, decoration only: the words beside it carry the meaning."""
    svg = lucide._render_icon(name + "", size)
    head, _, shapes = svg.partition(">")
    head = SAID_IN_CSS.sub("", head).replace("<svg", '<svg class="icon" aria-hidden="true"')
    shapes = re.sub(r"\s*\n\s*", "", shapes).replace(" />", "/>")
    shapes = PATHS.sub(lambda run: run[0].replace('"/><path d="', ""), shapes)
    return mark_safe(f"{head}>{shapes}")  # noqa: S308  our own file


@register.simple_tag
@cache
def asset(path: str) -> str:
    """The address of a static file, looked up once per process."""
    return static(path)


@register.simple_tag
@cache
def page_url(name: str) -> str:
    """{% url %} for an address without arguments, worked out once per process."""
    return reverse(name)


@register.simple_tag
@cache
def fixed(template_name: str) -> SafeString:
    """{% include %} for a template without context, rendered once per process."""
    return render_to_string(template_name)
