"""Every internal name of the dashboard that the proofs replace, as dotted paths in one place."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

GATEWAY_WRITE = "dashboard.gateway.Service.write"  # one write over HTTP
FIRST_PAUSE = "dashboard.gateway.protocol.FIRST_PAUSE"  # seconds before a read is repeated
SEND = "dashboard.writes.writer._send"  # a write with its row in the ledger
WAS_SAVED = "dashboard.writes.writer.was_saved"
CONFLICTS = "dashboard.pages.form_pages.conflicts"
NOT_SAVED = "dashboard.pages.form_pages.render_failed_save"  # the page for a failed write
CONFIRM_CREATED = "dashboard.writes.verification.confirm_created"
VERIFY_SAVED = "dashboard.pages.rendering.verify_saved"
PAYLOAD = "dashboard.forms.record_form.RecordForm.payload"
STORE_DRAFT = "dashboard.pages.form_drafts.store"
ACQUIRE_LOCK = "dashboard.ledger.locks._acquire"
IS_UNDER_WAY = "dashboard.ledger.services.is_under_way"  # the first submit of a form
UNRESOLVED = "dashboard.ledger.services.unresolved"
BEGIN_SUBMISSION = "dashboard.ledger.services.begin"
FINISH_SUBMISSION = "dashboard.ledger.services.finish"
STORE_OUTCOME = "dashboard.ledger.services.store_outcome"
STORE_ROW = "dashboard.ledger.services._store"  # inside the transaction of `begin`
TAKE_DELETION = "dashboard.ledger.deletions.take"
FIND_DUE = "dashboard.ledger.deletions.find_due"
NAMES_CACHE_KEY = "dashboard.reader.sealed_cache.owner_of"
LISTS_OF = "dashboard.catalogue.cached_lists.of"
KEYS_OF = "dashboard.credentials.services.open_pair"
SNAPSHOT_OF_FORM = "dashboard.forms.record_form.open_snapshot"

LOCK_GRACE = "dashboard.ledger.locks.GRACE"  # seconds beyond a call until it counts as lost
LOOK_AT = "dashboard.ledger.looks.LOOK_AT"
LEASE_MARGIN = "dashboard.jobs.leases.MARGIN"
JOBS_IDLE = "dashboard.jobs.leases.IDLE"
WATCH_AGAIN = "dashboard.jobs.tasks.AGAIN"
TAKE_LEASE = "dashboard.jobs.leases.take"
RELEASE_LEASE = "dashboard.jobs.leases.release"
BEGIN_ROWS = "dashboard.jobs.rows._begin"  # rows marked as Sending
STORE_ROWS = "dashboard.jobs.rows._store"
PAGE_SIZE = "dashboard.reader.listing.PAGE_SIZE"  # rows of a page of exports
FLUSHED = "dashboard.jobs.list_reading.FLUSHED"  # records of a piece of an export
STORE_PIECE = "dashboard.exports.storage.add"
SETTLE_ROWS = "dashboard.jobs.row_results.settle_left"


@contextmanager
def replaced(path: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Replace what `path` names by `make(it)`."""
    with patch(path, make(resolve_name(path))):
        yield


def short_pauses() -> Any:
    """Repeat failed reads almost at once."""
    return patch(FIRST_PAUSE, 0.01)
