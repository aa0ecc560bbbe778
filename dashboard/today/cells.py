"""What the blocks of the page Today have in common."""

from dashboard.gateway import CONTACTS
from dashboard.records.display import cells

SOON = 7  # days
CUSTOMER = cells.pointer(CONTACTS, "customer_id")
CONTACT = cells.pointer(CONTACTS, "cstid")
