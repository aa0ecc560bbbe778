"""The signed mark in a hidden field of every form: its owner, workspace and address.

With it a form can be stored for its owner after their session has ended, and cannot be saved by
somebody else or with the keys of another workspace. It grants no right to read anything.
"""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing

SALT = "drafts.mark"


class Mark(NamedTuple):
    """`token`: of this opened form. `address`: with its query. `label`: what the form is called.
    `blank`: the digest of the fields of a new form as it began.
    """

    token: str
    person: int
    workspace: str
    address: str
    label: str
    blank: str = ""

    @property
    def path(self) -> str:
        """The address without its query."""
        return self.address.partition("?")[0]

    @property
    def query(self) -> str:
        """What follows the path."""
        return self.address.partition("?")[2]

    def signed(self) -> str:
        """The signed text for the hidden field."""
        return signing.dumps(list(self), salt=SALT, compress=True)


def parse_mark(text: str) -> Mark | None:
    """The mark; None if the signature is wrong or it is older than any draft."""
    try:
        fields = signing.loads(
            text, salt=SALT, max_age=timedelta(days=settings.DRAFT_RETENTION_DAYS)
        )
    except signing.BadSignature:
        return None
    return Mark(*fields)
