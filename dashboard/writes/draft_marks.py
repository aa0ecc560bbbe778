"""The signed mark in a hidden field of every form: its owner, workspace and URL.

With it a form can be stored for its owner after the session has ended, but not saved by another
person or with keys of another workspace. It grants no read access.
"""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing

SALT = "drafts.mark"


class Mark(NamedTuple):
    """`token`: of this opened form. `address`: with its query. `label`: the form's name. `blank`:
    the digest of a new form's initial fields.
    """

    token: str
    person: int
    workspace: str
    address: str
    label: str
    blank: str = ""

    @property
    def path(self) -> str:
        return self.address.partition("?")[0]

    @property
    def query(self) -> str:
        return self.address.partition("?")[2]

    def signed(self) -> str:
        return signing.dumps(list(self), salt=SALT, compress=True)


def parse_mark(text: str) -> Mark | None:
    """Return the mark; None if the signature is wrong or it is older than any draft."""
    try:
        fields = signing.loads(
            text, salt=SALT, max_age=timedelta(days=settings.DRAFT_RETENTION_DAYS)
        )
    except signing.BadSignature:
        return None
    return Mark(*fields)
