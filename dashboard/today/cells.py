"""What the blocks of the page Today have in common."""

from dashboard.display import cells
from dashboard.gateway import CONTACTS

SOON = 7  # days
CUSTOMER = cells.pointer(CONTACTS, "customer_id")
CONTACT = cells.pointer(CONTACTS, "cstid")
