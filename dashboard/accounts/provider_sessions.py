"""Sessions that single sign-on has begun: the provider is asked now and then whether the person
still has a group with a role, and signing out can end its session, too.

The access token of the sign-in is kept in the session, sealed for the person. When it is good no
more, or the provider does not answer, the session ends at the latest the idle time after the last
answer; the next sign-in then looks at the groups.
"""

from time import time
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter as account_adapter
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base import ProviderException
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from dashboard.accounts.models import User
from dashboard.accounts.openid import PROVIDER, OfficeAdapter
from dashboard.accounts.permissions import signed_in
from dashboard.sealed import Unreadable, seal, unseal

TOKEN = "provider's token"  # noqa: S105 (a key of a session)
PURPOSE = "single sign-on"
MOST_BETWEEN = 10 * 60  # seconds between two questions
AGAIN = 60  # seconds after a question that was not answered
ASKING, UNANSWERED = "asking", "unanswered"


def begin(
    request: HttpRequest, user: User, sociallogin: SocialLogin | None = None, **kwargs: Any
) -> None:
    """Keep the token of a single sign-on (a receiver of allauth's user_logged_in)."""
    if sociallogin is not None and sociallogin.token is not None:
        request.session[TOKEN] = seal(sociallogin.token.token, owner=user.pk, purpose=PURPOSE)


def may_go_on(request: HttpRequest, began: int, mark: str) -> bool:
    """Whether a session may go on: not where its person has left all groups with a role, nor where
    the provider has not been reached about it for the idle time.

    began: when the session began, in seconds. mark: its name in the cache.
    """
    if not (settings.OIDC_ROLES and TOKEN in request.session):
        return True
    answered, asking = f"groups-seen:{mark}", f"groups-asked:{mark}"
    idle: int = settings.SESSION_COOKIE_AGE
    last: int = cache.get(answered, 0)
    age = time() - max(began, last)
    if age < min(MOST_BETWEEN, idle // 3):
        return True
    if not cache.add(asking, ASKING, AGAIN):  # another request asks, or asked a moment ago
        return bool(cache.get(asking) == ASKING) or age < idle
    groups = _present_groups(request)
    if groups is None:
        cache.set(asking, UNANSWERED, AGAIN)
        return age < idle
    cache.set(answered, int(time()), idle)
    cache.delete(asking)
    return bool(get_adapter(request).looks_at_groups(request, signed_in(request), groups))


def _present_groups(request: HttpRequest) -> list[str] | None:
    """The groups of OIDC_ROLES that the person has now; None if the provider does not say."""
    person = signed_in(request)
    subjects = SocialAccount.objects.filter(user=person).values_list("uid", flat=True)
    try:
        token = unseal(request.session[TOKEN], owner=person.pk, purpose=PURPOSE)
        return OfficeAdapter(request, PROVIDER).present_groups(token, set(subjects))
    except (Unreadable, ProviderException, SocialApp.DoesNotExist):
        return None


def address_of_sign_out(request: HttpRequest) -> str:
    """Where the provider ends its own session and sends the person back to the sign-in; "" where
    the session did not begin there, OIDC_SIGN_OUT is off, or the provider names no address.
    """
    if not (settings.OIDC_SIGN_OUT and TOKEN in request.session):
        return ""
    try:
        adapter = OfficeAdapter(request, PROVIDER)
        address = adapter.sign_out_url
    except (ProviderException, SocialApp.DoesNotExist):
        return ""
    query = {
        "client_id": adapter.provider.app.client_id,
        "post_logout_redirect_uri": account_adapter(request).get_sign_in_url(),
    }
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}" if address else ""
