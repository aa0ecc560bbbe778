"""Faults of the finished response: other status, other body, other JSON."""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

from ..profiles import HTML
from ..server import Response
from .fault import ResponseFault

MEGABYTE = 1024 * 1024


def body(content: bytes | str, content_type: str = "application/json") -> ResponseFault:
    """Another body; the status stays."""
    sent = content.encode() if isinstance(content, str) else content
    return lambda response, argument: replace(response, body=sent, content_type=content_type)


def status(code: int, content: bytes, content_type: str = "application/json") -> ResponseFault:
    """Another status and body; the argument is the value of Retry-After."""

    def change(response: Response, argument: str) -> Response:
        headers = (("Retry-After", argument),) if argument else ()
        return Response(code, content, content_type, headers)

    return change


def html_page(text: str, code: int | None = None) -> ResponseFault:
    """An HTML page instead of JSON; without `code` the status stays."""
    page = HTML.format(text)
    return body(page, "text/html") if code is None else status(code, page.encode(), "text/html")


def redirect(response: Response, argument: str) -> Response:
    """A redirect with a cookie."""
    return Response(302, b"", headers=(("Location", "/v1/elsewhere"), ("Set-Cookie", "a=b")))


def altered(alter: Callable[[dict[str, Any]], object]) -> ResponseFault:
    """The JSON object of the body changed by `alter`; other bodies stay."""

    def change(response: Response, argument: str) -> Response:
        with suppress(ValueError, AttributeError, TypeError, KeyError):
            data = json.loads(response.body)
            alter(data)
            return replace(response, body=json.dumps(data, ensure_ascii=False).encode())
        return response

    return change


def success(value: Any) -> ResponseFault:
    """Another value of `success`."""
    return altered(lambda data: data.update(success=value))


def rows(alter: Callable[[list[Any]], list[Any]]) -> ResponseFault:
    """Other rows of a list."""
    return altered(lambda data: data["data"].update(data=alter(data["data"]["data"])))


def counts(alter: Callable[[int], int]) -> ResponseFault:
    """Other numbers of records and pages of a list."""

    def change(data: dict[str, Any]) -> None:
        for name in ("total_records", "total_pages"):
            data["data"][name] = alter(int(data["data"][name]))

    return altered(change)


def gzipped(compress: Callable[[bytes], bytes]) -> ResponseFault:
    """The body changed by `compress` and declared as gzip."""
    headers = (("Content-Encoding", "gzip"),)
    return lambda response, argument: replace(
        response, body=compress(response.body), headers=headers
    )


def bomb(content: bytes) -> bytes:
    """Half a megabyte of gzip that unpacks to 100 MB, whatever the content."""
    return _bomb()


@cache
def _bomb() -> bytes:
    zeros = b"0" * (100 * MEGABYTE)
    return gzip.compress(b'{"success":true,"data":"' + zeros + b'"}', compresslevel=1)
