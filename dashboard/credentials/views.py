"""Connect your keys: paste, test, save; later test again, replace or remove. And who has keys."""

import time
from typing import cast

from allauth.account import app_settings
from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.accounts.models import User
from dashboard.accounts.permissions import (
    MANAGE_SETTINGS,
    SEE_WHO_HAS_KEYS,
    permission_required,
)
from dashboard.accounts.roles import role_of
from dashboard.credentials import probe, services
from dashboard.credentials.forms import ConfirmedForm, KeysForm
from dashboard.credentials.models import KeyPair
from dashboard.gateway import Keys

CONFIRMED_AT = "keys_confirmed_at"  # in the session: the time of the last password check
UNREADABLE = "Your stored API keys cannot be opened any more. Enter your keys again."


@sensitive_post_parameters("access", "secret", "password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """The stored pair with its Test; the form where there is none, or none that can be opened."""
    pair = services.pair_of(_person(request))
    if pair is None or request.POST.get("action") in ("save", "test"):
        return _enter(request)
    try:
        return _show(request, pair)
    except services.KeysUnreadable:
        return _enter(request, warning=UNREADABLE)


@sensitive_post_parameters("access", "secret", "password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def replace(request: HttpRequest) -> HttpResponse:
    """The form again, over a stored pair: with the person's password."""
    return _enter(request)


@sensitive_variables()
def _show(request: HttpRequest, pair: KeyPair) -> HttpResponse:
    keys = services.open_pair(pair)
    findings = None
    if request.method == "POST":
        findings = probe.probe(keys)
        _note(_person(request), findings)
    context = {
        "title": "Your API keys",
        "pair": pair,
        "access_last4": keys.last4,
        "secret_last4": services.secret_last4(pair),
        "findings": findings,
    }
    return render(request, "credentials/connected.html", context)


def _note(user: User, findings: list[probe.Finding]) -> None:
    if probe.works_anywhere(findings):
        services.note_refusal(user, refused=False)
    elif probe.refused_everywhere(findings):
        services.note_refusal(user)


@sensitive_variables()
def _enter(request: HttpRequest, *, warning: str = "") -> HttpResponse:
    """The form: empty, tested, complained about, or saved."""
    user = _person(request)
    replacing = services.pair_of(user) is not None
    testing = request.POST.get("action") == "test"
    posted = request.POST if request.POST.get("action") in ("save", "test") else None
    form = KeysForm(user, posted, asks_password=replacing and _asks(request), testing=testing)
    findings = _test_typed(form) if testing and form.is_valid() else None
    if posted and not testing and form.is_valid():
        return _save(request, form)
    context = {
        "title": "Replace your API keys" if replacing else "Connect your API keys",
        "form": form,
        "findings": findings,
        "replacing": replacing,
        "warning": warning,
    }
    status = 422 if posted and form.errors else 200
    return render(request, "credentials/connect.html", context, status=status)


@sensitive_variables()
def _test_typed(form: KeysForm) -> list[probe.Finding]:
    access, secret = form.cleaned_data["access"], form.cleaned_data["secret"]
    findings = probe.probe(Keys(access=access, secret=secret))
    exchanged = Keys(access=secret, secret=access)
    if probe.refused_everywhere(findings) and probe.accepted(exchanged):
        form.add_error("access", "The two keys are the wrong way round: exchange them.")
    return findings


def _save(request: HttpRequest, form: KeysForm) -> HttpResponse:
    _confirmed(request, form)
    form.save()
    messages.success(request, "Your API keys are connected.")
    return redirect("credentials:connect")


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest) -> HttpResponse:
    """Ask first, with the person's password, then forget their pair."""
    pair = services.pair_of(_person(request))
    if pair is None:
        return redirect("credentials:connect")
    return _remove(request, pair, "credentials:connect")


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@permission_required(MANAGE_SETTINGS)
def remove_of(request: HttpRequest, pk: int) -> HttpResponse:
    """The same for somebody else's pair: of people who have left, say."""
    return _remove(request, get_object_or_404(KeyPair, user=pk), "credentials:holders")


def _remove(request: HttpRequest, pair: KeyPair, back: str) -> HttpResponse:
    """Asks for the password of whoever asks, whosever pair it is."""
    mine = pair.user == request.user
    keys = "your API keys" if mine else f"the API keys of {pair.user.get_username()}"
    posted = request.POST if request.method == "POST" else None
    form = ConfirmedForm(_person(request), posted, asks_password=_asks(request))
    if posted is not None and form.is_valid():
        _confirmed(request, form)
        services.remove(pair.user)
        messages.success(request, f"{keys[0].upper()}{keys[1:]} were removed.")
        return redirect(back)
    context = {"title": f"Remove {keys}", "form": form, "pair": pair, "back": back}
    return render(request, "credentials/remove.html", context, status=422 if form.errors else 200)


@require_safe
@never_cache
@permission_required(SEE_WHO_HAS_KEYS)
def holders(request: HttpRequest) -> HttpResponse:
    """Who has connected keys, of which workspace, since when: never the keys."""
    pairs = KeyPair.objects.select_related("user").prefetch_related("user__groups")
    unreadable = set(services.owners_of_unreadable_pairs())
    rows = []
    for pair in pairs.order_by("user__username"):
        state, status = _state(pair, readable=pair.user.username not in unreadable)
        rows.append({"pair": pair, "role": role_of(pair.user), "state": state, "status": status})
    return render(request, "credentials/holders.html", {"title": "Who has keys", "rows": rows})


def _state(pair: KeyPair, *, readable: bool) -> tuple[str, str]:
    """How a stored pair stands, in words and as a status chip."""
    if not pair.user.is_active:
        return "account deactivated", "cancelled"
    if not readable:
        return "cannot be opened, to be entered again", "overdue"
    if pair.refused:
        return "refused by the service", "overdue"
    return "connected", "paid"


def _person(request: HttpRequest) -> User:
    return cast(User, request.user)  # the middleware lets nobody else in


@reauthentication_required(app="credentials")  # type: ignore[untyped-decorator]
def _is_confirmed(request: HttpRequest) -> bool:
    return True


def _asks(request: HttpRequest) -> bool:
    """Whether the last password check of this session, here or by allauth, is too old."""
    age = time.time() - request.session.get(CONFIRMED_AT, 0)
    if age < app_settings.REAUTHENTICATION_TIMEOUT:
        return False
    try:
        return not _is_confirmed(request)
    except ReauthenticationRequired:
        return True


def _confirmed(request: HttpRequest, form: ConfirmedForm) -> None:
    """Record the password check, so that the next page does not ask for the password again."""
    if form.asks_password:
        request.session[CONFIRMED_AT] = time.time()
