"""Stores, decrypts and removes key pairs, and creates the gateway of a user."""

from collections.abc import Collection, Iterable
from functools import cache
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from dashboard.core import after_response, request_log, security_log
from dashboard.core.sealed import DecryptionError, readable
from dashboard.gateway import ENDPOINTS, Gateway, GatewayError, Keys, Service
from dashboard.gateway.protocol import Outcome
from dashboard.people import members
from dashboard.people.models import KeyPair, User, Workspace

_service_lock = Lock()


class NoKeys(GatewayError):  # noqa: N818 (named as the gateway's exceptions)
    """The user has not connected a key pair. Nothing was sent."""


class KeysUnreadable(GatewayError):  # noqa: N818
    """The stored pair cannot be decrypted; its owner must enter it again. Nothing was sent."""


def owner_of(gateway: Gateway) -> str:
    """Return the mark of a key pair, which identifies it without revealing the keys."""
    return gateway.fingerprint(settings.SECRET_KEY.encode())


def administered_by(user: User) -> list[str] | None:
    """Return the ids of the workspaces that an administrator looks after: that of their own keys,
    none without keys; None, meaning all, for a superuser.
    """
    if user.is_superuser:
        return None
    return [user.workspace_id] if user.pair else []


@sensitive_variables()
@transaction.atomic
def connect(user: User, *, access: str, secret: str, workspace: Workspace) -> KeyPair:
    """Store the key pair of a user, who becomes a member of the workspace; replaces an earlier one.

    The caller has compared the keys with those of the workspace (comparison.py).
    """
    values = {
        "keys": {"access": access, "secret": secret},
        "workspace": workspace,
        "connected_at": timezone.now(),
        "refused": False,
        "closed_areas": [],
    }
    pair, _ = KeyPair.objects.update_or_create(values, user=user)
    members.join(user, workspace)
    security_log.record_event("keys connected", person=user.pk)
    return pair


def remove(user: User) -> None:
    KeyPair.objects.filter(user=user).delete()
    security_log.record_event("keys removed", person=user.pk)


@sensitive_variables()
def open_pair(pair: KeyPair) -> Keys:
    try:
        return Keys(**pair.keys)
    except DecryptionError:
        raise KeysUnreadable from None


@sensitive_variables()
def secret_last4(pair: KeyPair) -> str:
    """Return the last four characters of the secret key; "" if it has at most eight or is
    unreadable.
    """
    secret = str(readable(pair, "keys").get("secret", ""))
    return secret[-4:] if len(secret) > 8 else ""


def keys_for(user: User) -> Keys | None:
    return open_pair(user.pair) if user.pair else None


def store_refusal(user: User | int, *, refused: bool = True) -> None:
    """Store whether the service rejects the keys of a user; writes only a change."""
    KeyPair.objects.filter(user=user).exclude(refused=refused).update(refused=refused)


def store_closed_areas(user: User, *, open_areas: Collection[str], closed: Collection[str]) -> None:
    """Store which endpoints answered and which the plan lacks; others stay as they were."""
    stored = KeyPair.objects.filter(user=user)  # the user may hold the pair as it was before
    before = stored.values_list("closed_areas", flat=True).first()
    closed_areas = sorted({*(before or ()), *closed} - set(open_areas))
    if closed_areas != before:
        stored.update(closed_areas=closed_areas)


def store_findings(user: User, gateway: Gateway) -> None:
    """Store after the answer whether the service accepts the keys, and new zones of task times; no
    query if nothing is new.
    """
    if not user.pair:
        return
    accepted, workspace = gateway.accepted, user.pair.workspace
    if accepted is not None and accepted == user.pair.refused:
        after_response.run_after_response(store_refusal, user=user.pk, refused=not accepted)
    if not gateway.zones.issubset(workspace.task_zones):
        zones = gateway.zones.union(workspace.task_zones)
        after_response.run_after_response(store_zones, workspace=workspace, zones=zones)


def store_zones(*, workspace: Workspace, zones: Iterable[str]) -> None:
    workspace.task_zones = sorted(zones)
    workspace.save(update_fields=["task_zones"])


def service() -> Service:
    with _service_lock:  # concurrent first calls must not create one each
        return make_service()


class _Service(Service):
    """Returns the database connection to the pool while a call waits for the service."""

    def read(self, *args: Any, **kwargs: Any) -> Outcome:
        _return_connection()
        return super().read(*args, **kwargs)

    def write(self, *args: Any, **kwargs: Any) -> Outcome:
        _return_connection()
        return super().write(*args, **kwargs)


def _return_connection() -> None:
    pooled = connection.settings_dict.get("OPTIONS", {}).get("pool")
    if pooled and not connection.in_atomic_block:
        connection.close()


def _note(endpoint: str, operation: str, outcome: str, seconds: float) -> None:
    request_log.observe_call(endpoint, operation, outcome, seconds)
    breaker = service().breaker
    request_log.observe_breakers(is_open=breaker.is_open, pairs=breaker.open_count)


@cache
def make_service() -> Service:
    """Create the service. Called by `service`; tests clear its cache."""
    return _Service(
        settings.API_BASE_URL,
        access_header=settings.API_ACCESS_HEADER,
        secret_header=settings.API_SECRET_HEADER,
        timeout=settings.API_TIMEOUT,
        note=_note,
        request_id=request_log.request_id,
    )


def gateway(keys: Keys, workspace: Workspace | None = None) -> Gateway:
    zones = workspace.task_zones if workspace else ()
    return Gateway(service(), keys, enabled=switched_on(workspace), known_zones=zones)


def own_workspace(user: User) -> Workspace:
    """Return the workspace of the user's keys. Raises NoKeys."""
    if user.pair is None:
        raise NoKeys
    return user.pair.workspace


def gateway_for(user: User) -> Gateway:
    if user.pair is None:
        raise NoKeys
    return gateway(open_pair(user.pair), user.pair.workspace)


def workspace_name(workspace: str) -> str:
    return Workspace.objects.filter(pk=workspace).values_list("name", flat=True).first() or ""


def owners_of_unreadable_pairs() -> list[str]:
    """Return the sorted usernames whose pair cannot be decrypted with FIELD_ENCRYPTION_KEYS."""
    names = []
    for pair in KeyPair.objects.select_related("user").order_by("user__username").iterator():
        try:
            open_pair(pair)
        except KeysUnreadable:
            names.append(pair.user.username)
    return names


# The unpublished operations: those that the API reference lacks and the service may have. An
# administrator switches each on or off for their workspace. API_UNPUBLISHED is the default.
UNPUBLISHED = tuple(
    f"{endpoint.name}.{name}"
    for endpoint in ENDPOINTS
    for name in ("get", "update", "delete", *sorted(endpoint.unpublished_fields))
    if name in endpoint.unpublished | endpoint.unpublished_fields
)
"""Their names, such as "tasks.update", and "deals.deal_current_stage" for a field of an update."""


def switched_on(workspace: Workspace | None) -> frozenset[str]:
    """Return the names of the operations that are on in the workspace; without one, the default."""
    decided = workspace.switches if workspace else {}
    default: frozenset[str] = settings.API_UNPUBLISHED
    return frozenset(name for name in UNPUBLISHED if decided.get(name, name in default))


@transaction.atomic
def switch(workspace: Workspace, chosen: frozenset[str]) -> dict[str, tuple[str, str]]:
    """Turn on exactly these operations in a workspace. Return "on" or "off" before and after each
    change.
    """
    stored = Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    before, changes = switched_on(stored), {}
    for name in UNPUBLISHED:
        if (name in chosen) == (name in before):
            continue
        stored.switches[name] = name in chosen
        changes[name] = ("off", "on") if name in chosen else ("on", "off")
    stored.save(update_fields=["switches"])
    return changes
