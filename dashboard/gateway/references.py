"""Which fields of a record hold the id of another record (reference, section 2)."""

from .endpoints import CONTACTS, DEALS
from .fields import Endpoint

REFERENCES: dict[str, Endpoint] = {
    "cstid": CONTACTS,
    "customer_id": CONTACTS,
    "contact_parent": CONTACTS,
    "deal_contact_id": CONTACTS,
    "deal_id": DEALS,
}
