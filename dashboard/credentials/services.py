"""Connecting, opening and removing key pairs, and the gateway that a person's pages go through."""

import json
from functools import cache
from threading import Lock

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.core.signals import setting_changed
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.views.decorators.debug import sensitive_variables

from dashboard import cipher
from dashboard.accounts.models import User
from dashboard.credentials import offered
from dashboard.credentials.models import KeyPair
from dashboard.gateway import Gateway, GatewayError, Keys, Service

PURPOSE = "api keys"

_one_at_a_time = Lock()


class NoKeys(GatewayError):  # noqa: N818 (as the gateway's: what it is, without Error)
    """The person has no key pair that could be used: they are to connect one. Nothing was sent."""


class KeysUnreadable(GatewayError):  # noqa: N818
    """There is a pair that cannot be opened: its owner is to enter it again. Nothing was sent."""


def pair_of(user: User) -> KeyPair | None:
    """The person's stored pair, not decrypted. One query for each instance of the person."""
    try:
        return user.key_pair
    except ObjectDoesNotExist:
        return None


@sensitive_variables()
def connect(user: User, *, access: str, secret: str, workspace: str) -> KeyPair:
    """Store a person's key pair, in place of an earlier one."""
    text = json.dumps({"access": access, "secret": secret})
    pair, _ = KeyPair.objects.update_or_create(
        user=user,
        defaults={
            "ciphertext": cipher.seal(text, owner=user.pk, purpose=PURPOSE),
            "workspace": workspace,
            "connected_at": timezone.now(),
            "refused": False,
        },
    )
    return pair


def remove(user: User) -> None:
    """Forget a person's key pair."""
    KeyPair.objects.filter(user=user).delete()


@sensitive_variables()
def open_pair(pair: KeyPair) -> Keys:
    """The keys inside; raises KeysUnreadable."""
    return Keys(**_inside(pair))


@sensitive_variables()
def secret_last4(pair: KeyPair) -> str:
    """The last four characters of the secret key, all that is ever shown; "" for a short one."""
    secret = _inside(pair)["secret"]
    return secret[-4:] if len(secret) > 8 else ""


@sensitive_variables()
def _inside(pair: KeyPair) -> dict[str, str]:
    try:
        text = cipher.unseal(pair.ciphertext, owner=pair.user_id, purpose=PURPOSE)
    except cipher.Unreadable:
        raise KeysUnreadable from None
    stored: dict[str, str] = json.loads(text)
    return stored


def keys_for(user: User) -> Keys | None:
    """A person's keys, None if they have none; raises KeysUnreadable."""
    pair = pair_of(user)
    return None if pair is None else open_pair(pair)


def note_refusal(user: User, *, refused: bool = True) -> None:
    """Remember that the service refuses (or accepts again) a person's keys, if that is news."""
    KeyPair.objects.filter(user=user).exclude(refused=refused).update(refused=refused)


def note_answer(user: User, *, accepted: bool | None) -> None:
    """Remember what `Gateway.accepted` says after a request; no query where that is no news."""
    pair = pair_of(user)
    if pair is not None and accepted is not None and accepted == pair.refused:
        note_refusal(user, refused=not accepted)


def service() -> Service:
    """The Service of this process, made from the settings at the first call."""
    with _one_at_a_time:  # threads that start at once must not make one each
        return _service()


@cache
def _service() -> Service:
    return Service(
        settings.API_BASE_URL,
        access_header=settings.API_ACCESS_HEADER,
        secret_header=settings.API_SECRET_HEADER,
        timeout=settings.API_TIMEOUT,
        connect_timeout=settings.API_CONNECT_TIMEOUT,
    )


def _forget_service(*, setting: str, **kwargs: object) -> None:
    if setting.startswith("API_") and _service.cache_info().currsize:
        service().close()
        _service.cache_clear()


setting_changed.connect(_forget_service)


def gateway(keys: Keys) -> Gateway:
    """A gateway for these keys, with the unpublished operations that are switched on, which are
    looked up once one of them is at issue.
    """
    return Gateway(service(), keys, offered=SimpleLazyObject(offered.switched_on))


def gateway_for(user: User) -> Gateway:
    """The gateway of a person's own keys; raises NoKeys or KeysUnreadable."""
    keys = keys_for(user)
    if keys is None:
        raise NoKeys
    return gateway(keys)


def owners_of_unreadable_pairs() -> list[str]:
    """Usernames whose pair cannot be opened with the encryption keys that are set, in order."""
    names = []
    for pair in KeyPair.objects.select_related("user").order_by("user__username").iterator():
        try:
            open_pair(pair)
        except KeysUnreadable:
            names.append(pair.user.username)
    return names
