"""The API restated as data: one module per resource, which is all that names its fields.

A new resource is one module and one line in `ALL`.
Source: the API reference, sections 2 (fields), 3 (values), 4 (endpoints) and 8 (limits).
"""

from ..schema import Resource
from .contacts import CONTACTS
from .deals import DEALS
from .estimates import ESTIMATES
from .invoices import INVOICES
from .leads import LEADS
from .tasks import TASKS

# In the order in which sample records are made: a record refers only to resources above its own.
ALL: tuple[Resource, ...] = (CONTACTS, LEADS, DEALS, TASKS, ESTIMATES, INVOICES)
RESOURCES = {resource.name: resource for resource in ALL}
