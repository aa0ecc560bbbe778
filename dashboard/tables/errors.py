"""The errors of reading a table; their messages are shown on pages."""

PASSWORD = "The file is protected with a password: save it without one."  # noqa: S105
BUSY = "Other files are being read just now. Try again in a moment."
DAMAGED = "The file is damaged: open it, save it again, and choose it once more."


class UnreadableTable(Exception):  # noqa: N818 - named like the gateway's errors
    """A file or pasted text cannot be read; the message says why and what to do."""


class ReadersBusy(UnreadableTable):
    """This machine reads other files just now."""


class UnreadableCell(ValueError):  # noqa: N818
    """A cell is no number or date as its column writes them; the message says what it holds."""
