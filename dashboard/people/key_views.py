"""Pages of a user's own key pair: connect, test, replace, remove."""

from functools import wraps

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_POST

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.gateway import GatewayError, Keys
from dashboard.people import comparison, mails, members, probe
from dashboard.people import keys as services
from dashboard.people.comparison import Destination
from dashboard.people.key_forms import KeysForm
from dashboard.people.models import KeyPair, User
from dashboard.people.permissions import P, View, signed_in

COUNTS_KEY = "counts_of_areas"  # session key: how many records each area had, by its endpoint
REFUSED = (
    f"{SERVICE_AT_START} rejected these keys, so they were not saved. "
    "Check for typos, or ask whether they were revoked."
)
UNTESTED = "Your API keys are saved, but we couldn't check whether they work."
DIFFERENT = (
    "These API keys belong to another account of {service} than {others}, so they don't join the"
    " workspace {workspace}."
)
ADMINISTRATORS_TOLD = " Its administrators were notified."
JOINED = "You're now in {workspace}."
UNREACHABLE = (
    f"{SERVICE_AT_START} isn't answering, so we can't tell which workspace these keys belong to. "
    "Your keys are not saved yet. Try again in a minute."
)
NOT_MOVED = (
    f"{SERVICE_AT_START} isn't answering, so we can't compare your keys. "
    "Nothing was changed. Try again in a minute."
)
UNREADABLE = "We can't read your stored API keys any more. Enter them again."
CONFIRM_FIRST = "Nothing was changed. Confirm it's you, then try again."


@reauthentication_required  # type: ignore[untyped-decorator]
def _check_confirmed(request: HttpRequest) -> None:
    """Raise ReauthenticationRequired unless the person has confirmed who they are."""


def confirmed_when_opened(view: View[P]) -> View[P]:
    """Ask for password or code when the page is opened. A form submitted too long after that leads
    back to the page: allauth would store the posted data in the session in plain text.
    """

    @wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            _check_confirmed(request)
        except ReauthenticationRequired:
            if request.method != "POST":
                raise
            messages.warning(request, CONFIRM_FIRST)
            return redirect(request.path)
        return view(request, *args, **kwargs)

    return page


@sensitive_post_parameters("access", "secret")
def connect(request: HttpRequest) -> HttpResponse:
    pair = signed_in(request).pair
    if pair is None:
        return _edit_keys(request)
    if request.POST.get("action") in ("save", "test"):  # pressed twice
        return redirect("credentials:connect")
    try:
        return _show_pair(request, pair)
    except services.KeysUnreadable:
        return redirect("credentials:replace")


@sensitive_post_parameters("access", "secret")
@confirmed_when_opened
def replace(request: HttpRequest) -> HttpResponse:
    """Replace a pair, also one that cannot be decrypted."""
    try:
        services.keys_for(signed_in(request))
    except services.KeysUnreadable:
        return _edit_keys(request, warning=UNREADABLE)
    return _edit_keys(request)


@sensitive_variables()
def _show_pair(request: HttpRequest, pair: KeyPair) -> HttpResponse:
    keys, findings = services.open_pair(pair), None
    others = [one for one in members.invitations(pair.user) if one != pair.workspace]
    if request.method == "POST":
        findings = probe.probe(keys)
        _store_refusal(signed_in(request), findings)
        pair.refresh_from_db()
    context = {
        "title": "Connection",
        "pair": pair,
        "access_last4": keys.last4,
        "secret_last4": services.secret_last4(pair),
        "findings": findings,
        "closed": [name.capitalize() for name in pair.closed_areas],
        "others": others,
    }
    return render(request, "people/connected.html", context)


@require_POST
def move(request: HttpRequest) -> HttpResponse:
    """Accept the invitation to a workspace, unless its people's keys contradict the stored ones."""
    user, chosen = signed_in(request), request.POST.get("workspace", "")
    workspace = next((each for each in members.invitations(user) if each.pk == chosen), None)
    if workspace is None:
        return redirect("credentials:connect")
    try:
        gateway = services.gateway_for(user)
        destination = comparison.choose(gateway, [workspace])
    except GatewayError:
        messages.error(request, NOT_MOVED)
        return redirect("credentials:connect")
    _warn_of_contradictions(request, destination)
    if destination.workspace:
        members.join(user, workspace)
        messages.success(request, JOINED.format(workspace=workspace))
    return redirect("credentials:connect")


def _warn_of_contradictions(request: HttpRequest, destination: Destination) -> None:
    """Flash which keys differ, and email it to the administrators of each workspace."""
    user = signed_in(request)
    for workspace, owners in destination.contradicted.items():
        names = ", ".join(each.display_name for each in owners if each != user)
        others = f"those of {names}" if names else "the ones before"
        context = {"service": SERVICE, "others": others, "workspace": workspace}
        administrators = members.administrators(workspace).exclude(pk=user.pk)
        message = DIFFERENT.format(**context)
        messages.warning(request, message + ADMINISTRATORS_TOLD if administrators else message)
        for administrator in administrators:
            details = {**context, "person": administrator, "user": user}
            mails.post("keys_differ", [administrator.email], details)


def _store_refusal(user: User, findings: list[probe.Finding]) -> None:
    """Store whether a test rejected the stored pair, and the plan's areas."""
    works = [each.endpoint for each in findings if each.verdict == probe.WORKS]
    closed = [each.endpoint for each in findings if each.verdict == probe.NOT_IN_PLAN]
    services.store_closed_areas(user, open_areas=works, closed=closed)
    if probe.works_anywhere(findings):
        services.store_refusal(user, refused=False)
    elif probe.refused_everywhere(findings):
        services.store_refusal(user)


@sensitive_variables()
def _edit_keys(request: HttpRequest, *, warning: str = "") -> HttpResponse:
    user = signed_in(request)
    replacing = user.pair is not None
    testing = request.POST.get("action") == "test"
    posted = request.POST if request.POST.get("action") in ("save", "test") else None
    form = KeysForm(user, posted)
    findings = _test_typed(form, testing=testing) if posted and form.is_valid() else None
    if findings and not testing and form.is_valid() and _save(request, form, findings):
        return redirect("credentials:connect" if replacing else "setup:welcome")
    if findings and form.errors and probe.fails_everywhere(findings):
        findings = None  # the form says so
    context = {
        "title": "Replace your API keys",
        "step": 1,  # of the welcome
        "form": form,
        "findings": findings,
        "warning": warning,
    }
    status = 422 if posted and form.errors else 200
    template = "people/replace.html" if replacing else "administration/welcome.html"
    return render(request, template, context, status=status)


@sensitive_variables()
def _test_typed(form: KeysForm, *, testing: bool) -> list[probe.Finding]:
    access, secret = form.cleaned_data["access"], form.cleaned_data["secret"]
    findings = probe.probe(Keys(access=access, secret=secret))
    exchanged = Keys(access=secret, secret=access)
    if probe.refused_everywhere(findings):
        if probe.accepted(exchanged):
            form.add_error("access", "The two keys are the wrong way round. Swap them.")
        elif not testing:
            form.add_error(None, REFUSED)
    return findings


@sensitive_variables()
def _save(request: HttpRequest, form: KeysForm, findings: list[probe.Finding]) -> bool:
    """Store the pair and flash its test results. Return False if the form lacks a workspace's name,
    or the service does not answer.
    """
    before = members.of_user(signed_in(request))
    try:
        gateway = services.gateway(form.keys())
        candidates = [*([before.workspace] if before else []), *members.invitations(form.user)]
        destination = comparison.choose(gateway, candidates)
        form.save(destination)
    except comparison.NO_ANSWER:
        form.add_error(None, UNREACHABLE)
    if form.errors:
        return False
    _warn_of_contradictions(request, destination)
    _store_refusal(signed_in(request), findings)
    request.session[COUNTS_KEY] = {finding.endpoint: finding.count for finding in findings}
    if probe.works_anywhere(findings):
        if before:  # else the next page says so
            messages.success(request, "Your CRM is connected.")
    else:
        messages.warning(request, UNTESTED)
    if destination.workspace and not (before and before.workspace == destination.workspace):
        messages.success(request, JOINED.format(workspace=destination.workspace))
    return True


@confirmed_when_opened
def remove(request: HttpRequest) -> HttpResponse:
    pair = signed_in(request).pair
    if pair is None:
        return redirect("credentials:connect")
    if request.method == "POST":
        services.remove(pair.user)
        messages.success(request, "Your API keys were removed.")
        return redirect("credentials:connect")
    context = {"title": "Remove your API keys", "pair": pair}
    return render(request, "people/remove.html", context)


app_name = "credentials"
urlpatterns = [
    path("", connect, name="connect"),
    path("replace/", replace, name="replace"),
    path("move/", move, name="move"),
    path("remove/", remove, name="remove"),
]
