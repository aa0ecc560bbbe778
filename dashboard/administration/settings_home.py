"""The home of the settings: each page with its present state."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.http import HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from dashboard.administration import staff_accounts
from dashboard.office import reference_lists, repeats
from dashboard.people import members
from dashboard.people.context import RequestContext, page_without_keys
from dashboard.text.dates import days


class Fact(NamedTuple):
    """The state of a settings page. is_missing: it lacks something."""

    text: str
    is_missing: bool = False


def _account(ctx: RequestContext) -> Fact:
    mfa = "on" if ctx.user.has_mfa else "off"
    return Fact(f"{ctx.user.display_name}, two-step sign-in is {mfa}")


def _connection(ctx: RequestContext) -> Fact:
    if not ctx.workspace:
        return Fact("Add your API keys", is_missing=True)
    return Fact(f"Connected to {ctx.settings.name}")


def _defaults(ctx: RequestContext) -> Fact:
    return Fact(f"Invoices are due after {days(ctx.settings.due_days)}")


def _letterhead(ctx: RequestContext) -> Fact:
    name = ctx.settings.letterhead.get("name", "")
    return Fact(name) if name else Fact("Add your name and bank account", is_missing=True)


def _repeats(ctx: RequestContext) -> Fact:
    return Fact(_counted(repeats.of_person(ctx.user.pk, ctx.workspace).count(), "recurring record"))


def _names(ctx: RequestContext) -> Fact:
    unnamed = len(reference_lists.get_cached_lists(ctx.workspace).unnamed)
    if unnamed:
        return Fact(f"{_counted(unnamed, 'code')} without a name", is_missing=True)
    return Fact("Every code has a name")


def _members(ctx: RequestContext) -> Fact:
    return Fact(_counted(members.of_workspace(ctx.settings).count(), "member"))


def _setup(ctx: RequestContext) -> Fact:
    in_setup = ctx.settings.in_setup
    return Fact("Not finished", is_missing=True) if in_setup else Fact("Finished")


def _staff(ctx: RequestContext) -> Fact:
    people = staff_accounts.visible_to(ctx.user).filter(is_active=True)
    with_mfa = people.filter(has_mfa=True).count()
    return Fact(f"{_counted(people.count(), 'account')}, {with_mfa} with two-step sign-in")


FACTS: Mapping[str, Callable[[RequestContext], Fact]] = {
    "account_home": _account,
    "credentials:connect": _connection,
    "documents:settings": _defaults,
    "documents:letterhead": _letterhead,
    "repeats:list": _repeats,
    "catalogue:overview": _names,
    "workspace:members": _members,
    "setup:page": _setup,
    "staff:list": _staff,
}
"""By the URL name of the page; the others say what they are for."""


def _counted(number: int, noun: str) -> str:
    return f"{f'{number:,}' if number else 'No'} {noun}{'' if number == 1 else 's'}"


@require_safe
@page_without_keys
def show_settings(ctx: RequestContext) -> HttpResponse:
    return ctx.render("administration/settings.html", {"ctx": ctx, "facts": FACTS})


urlpatterns = [path("", show_settings, name="settings")]
