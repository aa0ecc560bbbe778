"""The identity provider of these tests, and a dashboard that knows it."""

from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.people import permissions
from tests.administration.identity_provider import CLIENT, SECRET, IdentityProvider, running

ROLES = {"desk-admins": permissions.ADMINISTRATOR, "desk": permissions.EDITOR}


def providers(issuer: str) -> dict[str, Any]:
    """The setting that names the provider."""
    app = {
        "provider_id": "office",
        "name": "single sign-on",
        "client_id": CLIENT,
        "secret": SECRET,
        "settings": {"server_url": issuer},
    }
    return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}


@pytest.fixture(scope="session")
def _provider() -> Iterator[IdentityProvider]:
    with running() as provider:
        yield provider


@pytest.fixture
def provider(_provider: IdentityProvider, settings: Any) -> IdentityProvider:
    """A provider that knows vera, in the group of editors."""
    settings.SOCIALACCOUNT_PROVIDERS = providers(_provider.url)
    settings.OIDC_ROLES = ROLES
    _provider.behave()
    _provider.claims = {
        "sub": "1",
        "email": "vera@example.test",
        "email_verified": True,
        "groups": ["desk", "canteen"],
    }
    return _provider
