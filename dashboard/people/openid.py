"""Single sign-on with OpenID Connect: additions to allauth's protocol. They are a nonce, the issuer
of the provider's metadata, the signature of the token, the same subject in token and userinfo, and
one type for each claim.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base import ProviderException
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse

from dashboard.core.templates import absolute_url, validate_one_line

MAX_SUBJECT_LENGTH: int = SocialAccount.uid.field.max_length
MAX_NAME_LENGTH = 150  # of first and last name
NAMES = {"first_name": "given_name", "last_name": "family_name"}  # field -> claim
# What allauth raises for an answer of another shape, or for none.
UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


@contextmanager
def _readable() -> Iterator[None]:
    """Turn unreadable answers into ProviderException, which becomes a page."""
    try:
        yield
    except UNREADABLE as error:
        raise ProviderException(f"unreadable: {type(error).__name__}") from error


class OfficeProvider(OpenIDConnectProvider):  # type: ignore[misc]
    """The provider of the settings OIDC_..., with a nonce in its requests."""

    def get_redirect_from_request_kwargs(self, request: HttpRequest) -> dict[str, Any]:
        """Return allauth's arguments with a nonce, which is also stored in the state of the flow.
        Parameters of the sign-in page's URL are not passed on.
        """
        nonce = secrets.token_urlsafe()
        return {
            **super().get_redirect_from_request_kwargs(request),
            "scope": settings.OIDC_SCOPES,
            "auth_params": {**self.get_auth_params(), "nonce": nonce},
            "nonce": nonce,
        }

    def redirect(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with _readable():
            answer: HttpResponse = super().redirect(request, *args, **kwargs)
        return answer

    def get_oauth2_adapter(self, request: HttpRequest) -> OpenIDConnectOAuth2Adapter:
        return OfficeAdapter(request, self.app.provider_id)

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        claims = _claims_of(response, self.app.client_id)
        return super().sociallogin_from_response(request, claims)


class OfficeAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Talks to the provider. Raises ProviderException for answers that it cannot read."""

    @cached_property
    def provider(self) -> OfficeProvider:
        return OfficeProvider(self.request, app=super().get_provider().app)

    def get_provider(self) -> OfficeProvider:
        return self.provider

    @cached_property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's metadata, whose issuer is that of the settings."""
        with _readable():
            found: dict[str, Any] = super().openid_config
            issuer = self.provider.app.settings["server_url"].partition("/.well-known/")[0]
            if found["issuer"].rstrip("/") != issuer.rstrip("/"):
                raise ProviderException("another issuer")
            return found

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the callback below SITE_URL, which is the URL that the provider knows."""
        url: str = super().get_callback_url(request, app)
        return absolute_url(url)

    def get_client(self, *args: Any, **kwargs: Any) -> Any:
        with _readable():
            return super().get_client(*args, **kwargs)

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> Any:
        with _readable():
            return super().get_access_token_data(*args, **kwargs)

    def parse_token(self, data: Any) -> Any:
        with _readable():
            return super().parse_token(data)

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any
    ) -> SocialLogin:
        """Complete the sign-in; verify the signature of the token as well."""
        self.did_fetch_access_token = False  # allauth verifies no signature after fetching it
        with _readable():
            return super().complete_login(request, app, token, **kwargs)


def check_nonce(sociallogin: SocialLogin) -> None:
    token = sociallogin.account.extra_data["id_token"]
    if not token["nonce"] or token["nonce"] != sociallogin.state.get("nonce"):
        raise ProviderException("another nonce")


def groups_of(sociallogin: SocialLogin) -> list[str]:
    parts: dict[str, Any] = sociallogin.account.extra_data
    return [group for part in ("id_token", "userinfo") for group in parts[part]["groups"]]


def names_of(sociallogin: SocialLogin) -> dict[str, str]:
    parts: dict[str, Any] = sociallogin.account.extra_data
    return {name: parts["userinfo"][name] or parts["id_token"][name] for name in NAMES}


def _claims_of(response: dict[str, Any], client: str) -> dict[str, Any]:
    """Return the claims that are used. allauth has checked issuer, audience, end and signature."""
    if "exp" not in response.get("id_token", ()):
        raise ProviderException("no id_token that ends")
    token = response["id_token"]
    several = isinstance(token["aud"], list) and len(token["aud"]) > 1
    if several and token.get("azp") != client:
        raise ProviderException("another client")
    claims = {part: _used(response[part]) for part in ("id_token", "userinfo")}
    if claims["id_token"]["sub"] != claims["userinfo"]["sub"]:
        raise ProviderException("two subjects")
    return claims


def _used(claims: dict[str, Any]) -> dict[str, Any]:
    subject = _ascii(claims.get("sub"))
    if not subject or len(subject) > MAX_SUBJECT_LENGTH:
        raise ProviderException("no subject")
    groups = claims.get(settings.OIDC_GROUPS_CLAIM)
    named = groups if isinstance(groups, list) else [groups]
    names = {name: _name(claims.get(claim)) for name, claim in NAMES.items()}
    return {
        **(names if settings.OIDC_NEW_ACCOUNTS else {}),
        "sub": subject,
        "nonce": _ascii(claims.get("nonce")),
        "email": _ascii(claims.get("email")),
        "email_verified": claims.get("email_verified") is True,  # some providers say "false"
        "groups": [each for each in named if isinstance(each, str) and each in settings.OIDC_ROLES],
    }


def _name(value: Any) -> str:
    """Return a name of one line that fits into an account; "" for anything else."""
    if not isinstance(value, str) or len(value) > MAX_NAME_LENGTH:
        return ""
    try:
        validate_one_line(value)
    except ValidationError:
        return ""
    return value.strip()


def _ascii(value: Any) -> str:
    """Return a text of printable ASCII; "" for anything else, such as letters that only
    look alike.
    """
    plain = isinstance(value, str) and value.isascii() and value.isprintable()
    return value if plain else ""


def _page(view: Any) -> Callable[[HttpRequest, str], HttpResponse]:
    @login_not_required
    def page(request: HttpRequest, provider_id: str) -> HttpResponse:
        adapter = OfficeAdapter(request, provider_id)
        try:
            answer: HttpResponse = view.adapter_view(adapter)(request)
        except SocialApp.DoesNotExist:
            raise Http404 from None
        except ProviderException as error:
            answer = render_authentication_error(request, adapter.provider, exception=error)
        return answer

    return page


login = _page(OAuth2LoginView)
callback = _page(OAuth2CallbackView)
