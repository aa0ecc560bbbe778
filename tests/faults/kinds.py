"""The kinds of faults that the machine draws, and what the answer to a write says under each."""

from dashboard.standin.faults.kinds import KINDS as ALL

# Left out: those that take time; an answer that comes later, of which tests/gateway tells.
SLOW = {"slow", "late", "drip", "refuse", "hang"}
KINDS = [kind for kind in ALL if kind not in SLOW and "later" not in kind]
LISTS_ONLY = {kind for kind in ALL if kind.startswith("list-")}
UNPUBLISHED = frozenset({"tasks.update", "tasks.delete", "leads.get", "leads.update"})
# Kinds that strike a write on the way, or with which its answer looks like the reference's.
OFTEN = ("reset", "truncate", "empty-body", "html", "success-false", "data-null", "stale")
OFTEN += ("interleave", "interleave-same", "interleave-gone", "partial", "partial-saved")
OFTEN += ("created-another", "created-bare", "created-list")
OFTEN += ("status-401", "status-404", "status-422", "status-429", "status-500")

# Kinds whose answer to a write is the reference's success, done or not.
CLEAR = {"data-missing", "data-null", "data-string", "data-data-null", "stale", "interleave"}
CLEAR |= {"created-another", "created-bare", "created-list", "interleave-gone"}
CLEAR |= {"interleave-same", "partial-saved", "clock-ahead", "clock-behind"}
BARE = {"created-bare", "data-missing", "data-null", "data-string"}  # no record is named
STOPS = ("status-401", "status-429")  # a refusal from whomever it comes
REFUSALS = {400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 451, 499}


def wire(kind: str, resource: str, operation: str) -> str:
    """What the answer to a write says: "success", "refusal", "claimed" (a success that a client may
    doubt), "untrue" (a success that reading refutes) or "unclear". It does not depend on the
    dashboard's own rules.
    """
    if kind == "interleave-gone" and operation != "create":
        return "refusal"
    if kind in CLEAR:
        return _wire_of_create(kind) if operation == "create" else "success"
    if kind.startswith("answer-"):
        return "claimed"
    if kind == "status-501" and f"{resource}.{operation}" in UNPUBLISHED:
        return "refusal"  # 501 for what the reference does not publish
    if kind == "success-false" or kind.startswith(STOPS):
        return "refusal"
    if kind in {f"status-{status}" for status in REFUSALS}:
        return "refusal"  # in the service's envelope, unlike -html, -empty and -message
    return "unclear"


def _wire_of_create(kind: str) -> str:
    """A create is Saved if the answer names a record that reads as it was sent."""
    if kind in {"created-another", "created-list"}:
        return "untrue"
    return "claimed" if kind in BARE else "success"
