"""Every internal name of the dashboard that is replaced here, as dotted paths in one place."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

GATEWAY_WRITE = "dashboard.gateway.Service.write"  # one write over HTTP
FIRST_PAUSE = "dashboard.gateway.protocol.FIRST_PAUSE"  # seconds before a read is repeated
SEND = "dashboard.writes.writer.PendingWrite._send"  # a write with its row in the ledger
CONFLICTS = "dashboard.records.forms.conflicts"
NOT_SAVED = "dashboard.records.forms.FormPage.render_failure"  # the page for a failed write
CONFIRM_CREATED = "dashboard.writes.verification.confirm_created"
VERIFY_SAVED = "dashboard.records.record_page.verify_saved"
PAYLOAD = "dashboard.schema.record_form.RecordForm.payload"
STORE_DRAFT = "dashboard.records.form_drafts.store"
RESERVE = "dashboard.writes.ledger.reserve"
IS_UNDER_WAY = "dashboard.writes.ledger.is_under_way"  # the first submit of a form
UNRESOLVED = "dashboard.writes.ledger.unresolved"
NAMES_CACHE_KEY = "dashboard.reader.sealed_cache.owner_of"
LISTS_OF = "dashboard.office.reference_lists.get_cached_lists"
KEYS_OF = "dashboard.people.keys.open_pair"
SNAPSHOT_OF_FORM = "dashboard.schema.record_form.open_snapshot"


@contextmanager
def replaced(path: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Replace what `path` names by `make(it)`."""
    with patch(path, make(resolve_name(path))):
        yield


def short_pauses() -> Any:
    """Repeat failed reads almost at once."""
    return patch(FIRST_PAUSE, 0.01)
