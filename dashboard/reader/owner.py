"""Tells key pairs apart without telling the keys."""

from django.conf import settings

from dashboard.gateway import Gateway


def owner_of(gateway: Gateway) -> str:
    """An HMAC of the key pair."""
    return gateway.fingerprint(settings.SECRET_KEY.encode())
