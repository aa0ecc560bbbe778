"""Parses email signatures and business cards, by rules and the words of signatures.toml.

Every word of the text is in one of the parts or in the rest, except labels of recognised parts.
"""

# ruff: noqa: RUF001  (signs of several scripts)

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import phonenumbers

from dashboard.text.plain import cleaned, folded, without_accents

_WORDS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)


def _any_of(kind: str) -> str:
    """Return a pattern for the words of a kind; signatures.toml explains their notation."""
    words, beginnings = (
        "|".join(map(re.escape, _WORDS[kind].get(name, ()))) for name in ("words", "beginnings")
    )
    whole = [rf"(?<!\w)(?:{words})(?!\w)".replace(r"\*", r"\w*")] if words else []
    first = [rf"^\W*(?:{beginnings})"] if beginnings else []
    return "|".join([*whole, *first, *_WORDS[kind].get("signs", ())])


FAX, REGISTERS, LEGAL_FORM, STREET, GREETING, ROLE = (
    re.compile(_any_of(kind), re.I)
    for kind in ("fax", "registers", "legal_forms", "streets", "greetings", "roles")
)
BUSINESS = re.compile(f"{LEGAL_FORM.pattern}|{_any_of('businesses')}", re.I)
LABELS, COUNTRIES = (frozenset(_WORDS[kind]["words"]) for kind in ("labels", "countries"))
TAX = re.compile(
    rf"(?:{_any_of('tax')})\s*(?:no\.?|nr\.?|number|id)?\s*[:#.：]?\s*"
    r"(?P<value>[A-Z]{0,4}[ -]?[0-9][0-9A-Z .\-/]*[0-9A-Z])",
    re.I,
)
POSTCODE = re.compile(_any_of("postcodes"))
MAX_LENGTH = 4000  # characters
EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[^\W_](?:[\w-]*\w)?(?:\.[^\W_](?:[\w-]*\w)?)+")
WEB = re.compile(
    r"(?:https?://|www\.)\S+|(?<![\w@.])[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|eu|[a-z]{2})(?:/\S*)?(?![\w.@])",
    re.I,
)
BETWEEN = re.compile(r"\s+(?:[|•·∙‖@–—]|//?)\s+|\s+-\s+|\t+|\s*[|•∙‖｜]\s*|\s{3,}")
LOOSE_NUMBER = re.compile(r"\+?\(?\d[\d\s().\-/]{5,}\d")
# A dialling code and the number after it, as in "+49 (0)221 / 123 45-671".
CODE = re.compile(r"(?<![\d)] )(?<![\d)])(\+?\(?\d[\d() ]{0,10}[\d)])\s+[/–-]\s+(?=\d)")
TAIL = re.compile(r"(?<=\d)\s+[–-]\s+(?=\d{1,4}(?!\d))")  # of a number: "512 34 56 - 12"
# More digits right before or after a number, which make it another one. A postcode is longer.
MORE_BEFORE = re.compile(r"(?<!\d)\d{1,4}[ ()./-]{0,3}$")
MORE_BEHIND = re.compile(r"[ ()./-]{0,3}\d{1,4}(?!\d)")
SPACES = re.compile(r"\s+")
AROUND = " ,;:<>()[]"
BEHIND_NAME = re.compile(r"\s*[,;，]\s*|\s+\([^()]*\)?\s*(?:$|[,;，])|\s+[가-힣]+장$")


@dataclass(frozen=True)
class Signature:
    """Recognised parts; "" or () for missing ones. `rest`: lines of no part, with the emails and
    numbers beyond the first.
    """

    name: str = ""
    business: str = ""
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    address: str = ""
    tax_number: str = ""
    rest: str = ""


@dataclass
class _Piece:
    """A line of the text, or a part of one between separators. `left`: text not yet recognised."""

    text: str
    left: str = ""
    part: str = ""  # the part that takes the whole piece

    def __post_init__(self) -> None:
        self.left = self.text


@dataclass
class _Reading:
    pieces: list[_Piece]
    emails: list[str] = field(default_factory=list)
    phones: list[str] = field(default_factory=list)
    tax_number: str = ""


def read_signature(text: str) -> Signature:
    """Parse a text; beyond MAX_LENGTH characters it goes to the rest."""
    pieces = [_Piece(part) for line in text[:MAX_LENGTH].splitlines() for part in _split(line)]
    reading = _Reading(pieces)
    _take_emails(reading)
    _take_tax_number(reading)
    _take_phones(reading)
    _take_address(pieces)
    _take_business(pieces, reading.emails)
    name = _take_name(pieces, reading.emails)
    return Signature(
        name=name,
        business=" ".join(piece.text for piece in pieces if piece.part == "business"),
        emails=tuple(reading.emails),
        phones=tuple(reading.phones),
        address="\n".join(piece.text for piece in pieces if piece.part == "address"),
        tax_number=reading.tax_number,
        rest="\n".join(filter(None, [*_rest(pieces), text[MAX_LENGTH:].strip()])),
    )


def _split(line: str) -> list[str]:
    line = CODE.sub(_joined, TAIL.sub("-", cleaned(line)))
    pieces = (piece.strip(" \t,;") for piece in BETWEEN.split(line))
    return [piece for piece in pieces if piece]


def _joined(match: re.Match[str]) -> str:
    """Join a dialling code to its number by a slash; longer ones are numbers of their own."""
    longest = 7 if match[1].startswith("+") else 5
    is_code = len(re.findall(r"\d", match[1])) <= longest
    return f"{match[1]}/" if is_code else match[0]


def _rest(pieces: Iterable[_Piece]) -> list[str]:
    return [piece.text for piece in pieces if not piece.part and not _says_nothing(piece.left)]


def _says_nothing(text: str) -> bool:
    words = re.findall(r"[^\s:：()\[\]<>,;|/&+]+", folded(text))
    return all(word.strip(".-") in LABELS or not re.search(r"\w", word) for word in words)


def _take_emails(reading: _Reading) -> None:
    for piece in reading.pieces:
        piece.left = EMAIL.sub(partial(_take_email, reading), piece.left)


def _take_email(reading: _Reading, match: re.Match[str]) -> str:
    """Return the replacement of an email address: a space for the first one; others stay."""
    value = match[0].removeprefix("mailto:").strip("'.")
    if folded(value) not in map(folded, reading.emails):
        reading.emails.append(value)
    return " " if folded(reading.emails[0]) == folded(value) else match[0]


def _take_tax_number(reading: _Reading) -> None:
    for piece in reading.pieces:
        match = TAX.search(piece.left)
        if match and len(re.findall(r"\d", match["value"])) >= 5 and not reading.tax_number:
            reading.tax_number = match["value"].strip(" .-")
            piece.left = f"{piece.left[: match.start()]} {piece.left[match.end() :]}"


def _take_phones(reading: _Reading) -> None:
    region = _region(reading)
    for piece in reading.pieces:
        if REGISTERS.search(piece.left) or TAX.search(piece.left):
            continue
        text = WEB.sub(_blank, EMAIL.sub(_blank, FAX.split(piece.left)[0]))
        numbers = _numbers(_plain_digits(text), region)
        reading.phones = list(dict.fromkeys([*reading.phones, *(each.value for each in numbers)]))
        for number in reversed(numbers):
            if number.value == reading.phones[0] and number.is_whole:
                piece.left = f"{piece.left[: number.start]} {piece.left[number.end :]}"


def _blank(match: re.Match[str]) -> str:
    return "|" * len(match[0])  # a sign that no phone number contains


def _plain_digits(text: str) -> str:
    """Convert digits and signs of other scripts to ASCII, keeping the length of the text."""
    digits = (str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)
    plain = ((sign, unicodedata.normalize("NFKC", sign)) for sign in digits)
    return "".join(same if len(same) == 1 else sign for sign, same in plain)


class _Number(NamedTuple):
    """A phone number in a text. `is_whole`: its value has all the digits written there."""

    start: int
    end: int
    value: str
    is_whole: bool


def _numbers(text: str, region: str) -> list[_Number]:
    numbers = []
    for match in phonenumbers.PhoneNumberMatcher(text, region or None):  # the valid ones
        whole = not match.number.extension
        value = match.raw_string if whole else _without_extension(match)
        numbers.append(_Number(match.start, match.end, SPACES.sub(" ", value).strip(), whole))
    return [one for one in numbers if _is_complete(one, numbers, text)] or _labelled_number(text)


def _is_complete(number: _Number, numbers: list[_Number], text: str) -> bool:
    """Return True if no digits outside other numbers stand right beside it."""
    start = max((one.end for one in numbers if one.end <= number.start), default=0)
    end = min((one.start for one in numbers if one.start >= number.end), default=len(text))
    before, behind = text[start : number.start], text[number.end : end]
    return not (MORE_BEFORE.search(before) or MORE_BEHIND.match(behind))


def _without_extension(match: phonenumbers.PhoneNumberMatch) -> str:
    number = phonenumbers.PhoneNumber()
    number.merge_from(match.number)
    number.extension = None
    style = phonenumbers.PhoneNumberFormat
    kind = style.INTERNATIONAL if match.raw_string.startswith("+") else style.NATIONAL
    return phonenumbers.format_number(number, kind)


def _labelled_number(text: str) -> list[_Number]:
    match = LOOSE_NUMBER.search(text)
    if not match or not 6 <= len(re.findall(r"\d", match[0])) <= 15:
        return []
    before, after = text[: match.start()], text[match.end() :]
    alone = not re.search(r"\w", after) and _says_nothing(before)
    value = SPACES.sub(" ", match[0]).strip()
    return [_Number(match.start(), match.end(), value, is_whole=True)] if alone else []


def _region(reading: _Reading) -> str:
    text = "\n".join(piece.text for piece in reading.pieces)
    for match in phonenumbers.PhoneNumberMatcher(_plain_digits(text), None):
        if code := phonenumbers.region_code_for_number(match.number):
            return str(code)
    hosts = [*(email.rpartition(".")[2] for email in reading.emails)]
    hosts += [address.partition("/")[0].rpartition(".")[2] for address in WEB.findall(text)]
    for host in hosts:
        code = {"UK": "GB", "IO": ""}.get(host.upper(), host.upper())
        if code in phonenumbers.SUPPORTED_REGIONS:
            return code
    return "US"


def _take_address(pieces: list[_Piece]) -> None:
    """Take lines with a street or postcode, and the country after them."""
    before = False
    for piece in pieces:
        if piece.left != piece.text or GREETING.search(piece.text):
            before = False
            continue
        text = _plain_digits(piece.text)
        place = bool(STREET.search(text) and re.search(r"\d", text)) or bool(POSTCODE.search(text))
        country = before and folded(piece.text).strip(".") in COUNTRIES
        if (place and not REGISTERS.search(text) and not FAX.search(text)) or country:
            piece.part = "address"
        before = bool(piece.part)


def _open(pieces: Iterable[_Piece]) -> list[_Piece]:
    left = [
        one for one in pieces if not (one.part or _says_nothing(one.left) or WEB.search(one.left))
    ]
    never = (GREETING, REGISTERS)
    return [one for one in left if not any(each.search(one.text) for each in never)]


def _take_business(pieces: list[_Piece], emails: list[str]) -> None:
    """Take the first line with a legal form, else one that begins with the email's domain."""
    candidates = [piece for piece in _open(pieces) if piece.left == piece.text]
    named = [piece for piece in candidates if BUSINESS.search(piece.text)]
    domains = {_letters(email.rpartition("@")[2].split(".")[0]) for email in emails} - {""}
    of_domain = [
        piece
        for piece in candidates
        if any(map(_letters(piece.text).startswith, domains))
        and not _is_of_email(piece.text, emails)
    ]
    for piece in [*named, *of_domain][:1]:
        piece.part = "business"
        _cut_role(pieces, piece)


def _cut_role(pieces: list[_Piece], piece: _Piece) -> None:
    """Split "Ada Berg, Owner" off "Ada Berg, Owner, Acorn, Inc."."""
    parts = re.split(r"\s*[,，]\s+", piece.text)
    forms = [place for place, part in enumerate(parts) if BUSINESS.search(part)]
    start = forms[0] - bool(BUSINESS.fullmatch(parts[forms[0]])) if forms else 0
    role = ", ".join(parts[: max(start, 0)])
    if role and ROLE.search(role):
        piece.text = piece.left = piece.text[len(role) :].strip(AROUND)
        pieces.insert(pieces.index(piece), _Piece(role))


def _letters(text: str) -> str:
    return "".join(sign for sign in without_accents(text) if sign.isalnum())


def _take_name(pieces: list[_Piece], emails: list[str]) -> str:
    """Take the line with words of the email address, else the first that may be a name."""
    scores = [
        (_name_score(_name_in(piece.left), emails) - min(place, 5), -place, piece)
        for place, piece in enumerate(_open(pieces))
    ]
    score, _, best = max(scores, key=lambda one: one[:2], default=(0, 0, _Piece("")))
    if score <= 0:
        return ""
    name = _name_in(best.left)
    if _says_nothing(best.left.replace(name, "", 1)):
        best.part = "name"
    else:
        best.text = best.left = best.left.replace(name, "", 1).strip(AROUND)
    return name


def _name_in(text: str) -> str:
    """Return the text before a comma or bracket: "Jane Doe" of "Jane Doe (she/her), Sales"."""
    return BEHIND_NAME.split(text.strip(AROUND))[0]


def _name_score(text: str, emails: list[str]) -> int:
    """Return how much a line looks like a person's name; 0 if it cannot be one."""
    words = text.split()
    if not words or len(words) > 6 or len(text) > 60 or re.search(r"[\d@:?!]", text):
        return 0
    score = 10 + 10 * _is_of_email(text, emails)
    score -= 8 * bool(ROLE.search(text))
    score += 3 if len(words) in (2, 3, 4) or not text.isascii() else 0
    score -= 4 * (sum(word[:1].islower() for word in words) > len(words) / 2)
    return max(score, 0)


def _is_of_email(text: str, emails: list[str]) -> bool:
    """Return True if a word of the text is in the local part of an address."""
    names = [email.partition("@")[0] for email in emails]
    parts = {_letters(part) for name in names for part in re.split(r"[._+-]", name)}
    words = [word for each in text.split() if len(word := _letters(each)) > 2]
    within = any(len(word) > 3 and word in _letters(name) for word in words for name in names)
    return within or not parts.isdisjoint(words)
