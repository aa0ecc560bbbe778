"""The pages of resources that overviews take the place of."""

from collections.abc import Mapping

from dashboard.accounts.permissions import VIEW_RECORDS
from dashboard.gateway import CONTACTS, DEALS
from dashboard.records.resource import Page

from . import contact, deal

PAGES: Mapping[str, Mapping[str, Page]] = {
    CONTACTS.name: {
        "detail": Page(route="<int:record_id>/", view=contact.show, permission=VIEW_RECORDS)
    },
    DEALS.name: {"detail": Page(route="<int:record_id>/", view=deal.show, permission=VIEW_RECORDS)},
}
