"""The addresses of a resource's pages, below the prefix that the site is served under."""

from urllib.parse import urlencode

from dashboard.markup.templating import page_url


def address(
    resource: str,
    record_id: int | None = None,
    page: str = "",
    query: dict[str, str] | None = None,
) -> str:
    """The address of a page of a resource: /contacts/, /contacts/17/, /contacts/17/edit/.

    resource: the name of its endpoint. page: its name in `urls_for`; "" for the list or the record.
    Raises NoReverseMatch where the resource has no such page.
    """
    args = () if record_id is None else (record_id,)
    url = page_url(f"{resource}:{page or ('detail' if args else 'list')}", *args)
    return f"{url}?{urlencode(query)}" if query else url
