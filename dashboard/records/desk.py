"""What pages and forms know of the person at the desk: their gateway, their workspace."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.accounts.models import User
from dashboard.accounts.permissions import MANAGE_SETTINGS
from dashboard.gateway import Gateway

from .reading import PLAIN, Style
from .request import StaffRequest


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Handed to every cell and form, so that none of them needs the request.

    `titles`: what people call the other records that those at hand point to, by endpoint and id;
    "" for those without a name. `late`: the address of a fragment with those that took too long.
    `style`: how this person writes numbers and dates.
    `manages`: the person may name what the workspace's reference lists lack.
    """

    gateway: Gateway
    person: User | None = None
    workspace: str = ""
    manages: bool = False
    titles: Mapping[tuple[str, int], str] = field(default_factory=dict)
    late: str = ""
    style: Style = PLAIN


def desk_of(request: StaffRequest) -> Desk:
    """The desk of a signed-in person. Raises NoKeys or KeysUnreadable, but not for a form that was
    typed: it comes to that as it is sent, and keeps what was typed.
    """
    user = request.user
    if request.method != "POST":
        bool(request.gateway)  # opened now
    return Desk(
        gateway=request.gateway,
        person=user,
        workspace=workspace_of(user),
        manages=user.has_perm(MANAGE_SETTINGS),
        style=style_of(user),
    )


def style_of(user: User) -> Style:
    """How a person writes numbers and dates."""
    return Style(number=user.number_style, day=user.day_style)


def workspace_of(user: User) -> str:
    """The workspace whose keys a person has connected, as they call it; "" for none."""
    pair = getattr(user, "key_pair", None)
    return pair.workspace if pair else ""
