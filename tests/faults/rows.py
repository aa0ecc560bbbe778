"""What is tried: one row for every resource that has pages. A new resource joins by a row here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.records.resource import Resource
from dashboard.resources.contacts import CONTACTS


@dataclass(frozen=True)
class Row:
    """How one resource is typed in and changed. `mark` is a word that no other record has.

    record:  the body of a record made beforehand.
    typed:   what a person types over a fresh form; holds the mark in the field `name`.
    changed: what a person changes in the edit form; the first field is the one that is told apart.
    always:  fields that every update carries (reference, section 4).
    """

    resource: Resource
    name: str
    record: Callable[[str], dict[str, Any]]
    typed: Callable[[str], dict[str, Any]]
    changed: Callable[[str], dict[str, Any]]
    always: frozenset[str] = frozenset()

    @property
    def url(self) -> str:
        """The list's address."""
        return self.resource.url()

    def seen(self, record: Mapping[str, Any], mark: str) -> bool:
        """Whether a record of the service shows what the edit typed."""
        return all(str(record.get(name) or "") == text for name, text in self.changed(mark).items())


ROWS = {
    "contacts": Row(
        CONTACTS,
        "cstname",
        record=lambda mark: {
            "cstname": f"Before {mark}",
            "contact_type": 1,
            "cstaddress": "Old Street 1",
            "ct_taxnumber": "T-1",
            "custom_fields": {},
        },
        typed=lambda mark: {
            "cstname": mark,
            "cstemail": f"{mark}@example.test",
            "cstaddress": f"{mark} Street",
        },
        changed=lambda mark: {"cstaddress": f"{mark} Street", "cstemail": f"{mark}@example.test"},
    ),
}
