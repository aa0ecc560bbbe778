"""Work for a person outside of requests: a worker writes with their keys.

It is stored with the person, their key pair's mark and the required permission. All are checked
when it runs, and again before each of many writes, as they may have changed since.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.gateway import GatewayError
from dashboard.people.context import RequestContext, context_with
from dashboard.people.keys import gateway_for, owner_of, store_findings
from dashboard.people.models import User
from dashboard.people.permissions import allowed


class OtherKeys(GatewayError):  # noqa: N818 (named as the gateway's exceptions)
    """The person's keys have changed since the request. Nothing was sent."""

    title = "Your connection has changed since"


class NotPermitted(GatewayError):  # noqa: N818
    """The person is inactive, or their role does not allow the work any more. Nothing was sent."""

    title = "Your role no longer lets you do this"


@contextmanager
def context_for(person: int | None, *, owner: str, permission: str) -> Iterator[RequestContext]:
    """Yield the context of a person, for calls with their own keys. Rejected keys and a pause of
    calls are stored at the end.

    `person`: the primary key. `owner`: the mark of the key pair of the request (owner_of). Raises
    NotPermitted, NoKeys, KeysUnreadable or OtherKeys.
    """
    people = User.objects.select_related("key_pair__workspace")
    user = people.filter(pk=person).first() if person else None
    if user is None or not user.has_perm(permission):  # false for an inactive person
        raise NotPermitted
    gateway = gateway_for(user)
    if owner_of(gateway) != owner:
        raise OtherKeys
    try:
        yield context_with(user, gateway)
    finally:
        store_findings(user, gateway)


def check_allowed(ctx: RequestContext, permission: str) -> None:
    """Check, before one of many writes, that the person still has the role and the key pair of the
    context. One query. Raises NotPermitted or OtherKeys.
    """
    person = ctx.person
    if not isinstance(person, User):
        raise NotPermitted
    permitted = allowed(permission).filter(pk=person.pk)
    connected = list(permitted.values_list("key_pair__connected_at", flat=True))
    if not connected:
        raise NotPermitted
    if connected != [person.key_pair.connected_at]:
        raise OtherKeys
