"""The resources of the dashboard, in menu order. A new one is added here."""

from .contacts import CONTACTS
from .deals import DEALS
from .estimates import ESTIMATES
from .invoices import INVOICES
from .leads import LEADS
from .tasks import TASKS

ALL = (CONTACTS, LEADS, DEALS, TASKS, ESTIMATES, INVOICES)
BY_NAME = {resource.name: resource for resource in ALL}
