"""Unsafe or malformed JSON is unreadable; other JSON is read unchanged."""

import gzip
import json
import zlib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway.values import MAX_BYTES, MAX_DEPTH, inflate, read_object


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b'{"a": 1} {}',
        b'{"a": 1, "a": 2}',
        b'{"b": {"a": 1, "a": 1}}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": 0.' + b"9" * 5000 + b"}",
        b'{"a": 1e' + b"9" * 30 + b"}",
        b'{"a": 1e999999999}',
        b'{"a": [{"b": -1E999999999}]}',
        b'{"a": 1.5e-999999999}',
        b'{"a": 0e-999999999}',
        b'{"a": "\\ud800"}',
        b'{"a": "\\uDFFF x"}',
        b'{"\\ud800": 1}',
        b'{"a": "\xff"}',
        '{"a": 1}'.encode("utf-16"),
        nested(MAX_DEPTH + 1),
        nested(500),
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_unsafe_or_malformed_json_is_none(body: bytes) -> None:
    assert read_object(body) is None


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"{}", {}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'{"a": 10.50}', {"a": Decimal("10.50")}),
        (b'{"a": 1.7976931348623157e308}', {"a": Decimal("1.7976931348623157e308")}),
        (b'{"a": "\\ud83d\\ude00 [[[{{{"}', {"a": "😀 [[[{{{"}),
        (b'{"a": "\\ud55c"}', {"a": "한"}),
        (b'{"a": [[], {}, [1, "]"]]}', {"a": [[], {}, [1, "]"]]}),
    ],
)
def test_safe_json_is_read_unchanged(body: bytes, value: Any) -> None:
    assert read_object(body) == value


def test_the_deepest_allowed_is_read() -> None:
    assert read_object(nested(MAX_DEPTH - 1)) is not None


leaves = st.none() | st.text(max_size=20) | st.integers()
values = st.lists(leaves, max_size=4) | st.dictionaries(st.text(max_size=5), leaves, max_size=4)


@given(st.dictionaries(st.text(max_size=5), leaves | values, max_size=5))
def test_ordinary_json_is_read_as_json_reads_it(value: dict[str, Any]) -> None:
    body = json.dumps(value).encode()
    found = read_object(body)
    assert found is None or found == json.loads(body)


@given(st.binary())
def test_no_bytes_raise_an_exception(body: bytes) -> None:
    read_object(body)
    for encoding in ("gzip", "br", ""):
        inflate(body, encoding)


def test_only_complete_gzip_within_the_limit_is_inflated() -> None:
    zipped = gzip.compress(b"text")
    assert inflate(zipped, "gzip") == b"text"
    assert inflate(b"text", "") == b"text"
    assert inflate(b"text", "identity") == b"text"
    assert inflate(zipped[:-1], "gzip") is None
    assert inflate(zipped + zipped, "gzip") is None
    assert inflate(zlib.compress(b"text"), "deflate") is None
    assert inflate(gzip.compress(b" " * (MAX_BYTES + 1)), "gzip") is None
    assert inflate(gzip.compress(b" " * MAX_BYTES), "gzip") == b" " * MAX_BYTES
