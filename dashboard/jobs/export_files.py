"""Writes the rows of an export as a file in the chosen format."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from tempfile import TemporaryFile

from django.http import StreamingHttpResponse

from dashboard.tables.writing import CellValue, TextFormat, write_csv, write_xlsx
from dashboard.text.style import COMMA, Style

XLSX, CSV, PLAIN_CSV = "xlsx", "csv", "plain"
FORMATS = {
    XLSX: "Excel (XLSX)",
    CSV: "CSV for spreadsheets (your number and date formats)",
    PLAIN_CSV: "CSV for other software (1234.56, 2026-\u206012-\u206031)",  # kept on one line
}
TYPES = {
    XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    CSV: "text/csv; charset=utf-8",
    PLAIN_CSV: "text/csv; charset=utf-8",
}
CHUNK = 100_000  # bytes of an XLSX file that are sent together


def text_format(form: str, style: Style) -> TextFormat:
    """Return the CSV format. Only spreadsheets get a byte order mark, which they look for."""
    if form == PLAIN_CSV:
        return TextFormat(byte_order_mark=False)
    separator = ";" if style.mark == COMMA else ","
    return TextFormat(separator=separator, mark=style.mark, order=style.order)


def file_name(noun: str, form: str, day: date) -> str:
    """Return a name such as contacts-2026-03-14.xlsx."""
    return f"{noun}-{day.isoformat()}.{'xlsx' if form == XLSX else 'csv'}"


def file_chunks(
    form: str, rows: Iterable[Sequence[CellValue]], notes: Iterable[str], style: Style
) -> Iterator[bytes]:
    """Yield the file while its rows are produced; the first row has the headings.

    XLSX is first written as a whole to an unnamed file that is deleted when the generator closes.
    `notes`: the rows of its second sheet.
    """
    if form != XLSX:
        yield from write_csv(rows, text_format(form, style))
        return
    with TemporaryFile() as file:
        write_xlsx(file, rows, notes=notes, order=style.order)
        file.seek(0)
        yield from iter(lambda: file.read(CHUNK), b"")


def csv_answer(name: str, rows: Iterable[Sequence[str]]) -> StreamingHttpResponse:
    text = write_csv(rows, TextFormat(byte_order_mark=False))
    response = StreamingHttpResponse(text, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
