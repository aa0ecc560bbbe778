"""The addresses of a resource's pages, below the prefix that the site is served under."""

from urllib.parse import urlencode

from django.urls import get_script_prefix


def address(
    resource: str,
    record_id: int | None = None,
    action: str = "",
    query: dict[str, str] | None = None,
) -> str:
    """The address of a page of a resource: /contacts/, /contacts/17/, /contacts/17/edit/.

    `resource` is the name of its endpoint. Not `reverse`, which costs ten times as much: a list
    asks for a hundred addresses.
    """
    parts = [resource, *([str(record_id)] if record_id is not None else []), action]
    path = "/".join(part for part in parts if part)
    return f"{get_script_prefix()}{path}/" + (f"?{urlencode(query)}" if query else "")
