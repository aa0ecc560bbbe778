"""Decodes the bytes of a text file whose encoding is not known."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress

from .cells import Guess
from .limits import UnreadableTable

ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16": "Unicode (UTF-16)",
    "utf-16-le": "Unicode (UTF-16 LE)",
    "utf-16-be": "Unicode (UTF-16 BE)",
    "cp1252": "Western European (Windows-1252)",
    "cp1250": "Central European (Windows-1250)",
    "cp1251": "Cyrillic (Windows-1251)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "mac-roman": "Western European (older Macs)",
}
LIKELY = ("cp1252", "cp1250", "cp1251", "cp1253")
SAMPLE_SIZE = 200_000  # bytes
_ODD = (  # what no language writes, but one encoding read as another has
    re.compile(r"[a-zà-ÿ][£¿¯¹³](?![^\W\d_]?\b)|(?<![^\W_])[£¿¯³][a-z]"),  # "Pawe³a", "£ukasz"
    re.compile("[\u00c0-\u017f]{5}"),  # Latin letters with accents alone
    re.compile("[A-Za-z][\u0370-\u04ff]|[\u0370-\u04ff][A-Za-z]"),  # two scripts in a word
    re.compile("[ά-ώа-яё][Ά-ΏΑ-ΫА-ЯЁ]|\ufffd"),  # a capital within a word; no letter at all
)
_BOMS = {BOM_UTF8: "utf-8", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}
_BYTES_OF_LETTERS = [
    {ord(letter): byte for byte in range(128, 256)
     if (letter := bytes([byte]).decode(encoding, "ignore"))}
    for encoding in ("cp1252", "cp1250", "mac-roman")
]  # fmt: skip
_UNKNOWN = "We don't recognise the file's encoding. Save it as CSV (UTF-8)."
_NO_TEXT = "This is not a text file. Save the table as CSV (UTF-8) or XLSX, and choose that file."


def decode(data: bytes, encoding: str = "") -> tuple[str, Guess[str]]:
    """Decode a file without its byte order mark; return the encoding too, guessed if it is "".

    The guess is certain only for Unicode. Raises UnreadableTable if the bytes are not in the
    encoding, or none fits.
    """
    guess = Guess(encoding) if encoding else _guess(data)
    try:
        text = data.decode(guess.value)
    except UnicodeDecodeError:
        if encoding or guess.certain:
            words = ENCODINGS.get(guess.value, guess.value)
            raise UnreadableTable(f"The file is damaged, or not {words}. Save it again.") from None
        raise UnreadableTable(_NO_TEXT if b"\0" in data else _UNKNOWN) from None
    if "\0" in text:
        raise UnreadableTable(_NO_TEXT)
    return text.removeprefix("\ufeff"), guess


def repaired(text: str) -> str:
    """Return the text that another program read in a wrong encoding: "Müller" for "MÃ¼ller"; the
    text itself if its letters are no bytes of UTF-8.
    """
    if text.isascii():
        return text
    for letters in _BYTES_OF_LETTERS:
        with suppress(UnicodeError):
            return text.translate(letters).encode("latin-1").decode("utf-8")
    return text


def _guess(data: bytes) -> Guess[str]:
    known = next((name for bom, name in _BOMS.items() if data.startswith(bom)), "")
    if known:
        return Guess(known)
    if b"\0" in data:  # half of the bytes of Latin text in UTF-16
        first = data[:4096]
        even, odd = first[::2].count(0), first[1::2].count(0)
        if max(even, odd) * 8 < len(first):
            raise UnreadableTable(_NO_TEXT)
        return Guess("utf-16-be" if even > odd else "utf-16-le", certain=False)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return Guess(_likeliest(data[:SAMPLE_SIZE]), certain=False)
    return Guess("utf-8")


def _likeliest(data: bytes) -> str:
    texts = {encoding: data.decode(encoding, errors="replace") for encoding in LIKELY}
    return min(LIKELY, key=lambda encoding: sum(len(o.findall(texts[encoding])) for o in _ODD))
