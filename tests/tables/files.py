"""Makes the files that the tests read."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import xlsxwriter

from dashboard.tables.reading import ReadTable, TableChoices, build_table, read_source
from dashboard.text.style import DAY_FIRST, POINT

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def xlsx(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """A workbook with these sheets; dates get a number format."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, value in enumerate(row):
                    sheet.write(number, column, value)
    return out.getvalue()


def ods(rows: Sequence[Sequence[str]]) -> bytes:
    """A spreadsheet of texts in the OpenDocument format."""
    return ods_table(
        "".join(
            f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows
        )
    )


def ods_table(body: str) -> bytes:
    """A spreadsheet in the OpenDocument format with these rows and columns."""
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{OFFICE}" '
        f'xmlns:table="{TABLE}" xmlns:text="{TEXT}"><office:body><office:spreadsheet>'
        f'<table:table table:name="First">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        "</manifest:manifest>"
    )
    parts = {"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content}
    return packed(parts)


def _ods_cell(text: str) -> str:
    words = f"<text:p>{escape(text)}</text:p>"
    return f'<table:table-cell office:value-type="string">{words}</table:table-cell>'


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip file with these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return out.getvalue()


def read_table(
    content: bytes | str,
    choices: TableChoices = TableChoices(),  # noqa: B008 (never changed)
    *,
    mark: str = POINT,
    order: str = DAY_FIRST,
) -> ReadTable:
    """The table in a file's bytes or in pasted text, as an import reads it."""
    return build_table(read_source(content, choices), choices, mark=mark, order=order)
