"""Compares people by names, email addresses and phone numbers.

A phone number is stored and typed in many forms: with the code of its country, with the prefixes of
calls within a country or abroad, or without. All forms of one number end with the same digits. So
the key of a contact's number leaves out what comes before those, and a typed number is searched
with up to MAX_PREFIX digits removed from its start. `is_caller` then compares the numbers
themselves.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import phonenumbers

from dashboard.text.plain import folded

Key = tuple[str, ...]

FIELDS = {"cstname": "name", "cstemail": "email", "cstmobile": "number"}  # of contacts and leads
PHONE = "cstmobile"
PUBLIC_DOMAINS = frozenset(
    Path(__file__).with_name("public_mail_domains.txt").read_text("ascii").split()
)
PUBLIC_NAMES = ("aol", "gmx", "hotmail", "live", "msn", "outlook", "t-online", "yahoo")
"""Of email providers, whose customers have nothing else in common."""
MIN_DIGITS, WHOLE = 5, 7
MAX_PREFIX = 6  # digits, such as "011 353"
LONG = 10  # digits that a number still has without a prefix of one
MAX_WORDS = 6  # of a name
MIN_LETTERS = 2
SAME_NUMBER = (
    phonenumbers.MatchType.EXACT_MATCH,
    phonenumbers.MatchType.NSN_MATCH,
    phonenumbers.MatchType.SHORT_NSN_MATCH,
)
_ABROAD = re.compile(r"^00")  # "011", too, begins numbers within some countries
_PHONE = re.compile(
    r"^\s*(?:tel(?:ephone)?|phone|mobile|mob|fon)?[.:\s]*(?P<number>\+?[\d\s()/.\-\u2010-\u2015]{5,})$",
    re.I,
)


def key(field: str, value: object) -> str:
    """Normalise a value of one of FIELDS, so that same values have the same key; "" if it is too
    short.

    Case is ignored. The last nine digits of a number count, so that "030 1234567" and "+49 30
    1234567" are the same.
    """
    text = str(value or "")
    if field != PHONE:
        return folded(text)
    digits = _digits(text.replace("(0)", ""))
    return digits[-9:] if len(digits) >= MIN_DIGITS else ""


@dataclass(frozen=True)
class Identity:
    """The keys by which a record is compared with others.

    `own`: those that only the same record has, and `wanted` those of which the same record has one.
    `shared`: those that another record may have, too, by the word for the value.
    """

    own: tuple[Key, ...] = ()
    wanted: tuple[Key, ...] = ()
    shared: Mapping[str, Key] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[Key, ...]:
        return (*self.own, *self.shared.values())

    @property
    def digest(self) -> str:
        """Return the same digest for records with the same values, in any spelling."""
        values = repr(sorted(self.shared.items()))
        return sha256(values.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def is_same(self, other: "Identity") -> bool:
        return not set(self.wanted).isdisjoint(other.keys)

    def in_common(self, other: "Identity") -> list[str]:
        """Return the words for the values that both have."""
        return [word for word, key in self.shared.items() if key in other.keys]


def identity_of(values: Mapping[str, object], *, is_business: bool) -> Identity:
    """Return the identity of a person or business.

    Two are the same with one email and one name, or with no name on one side; with one name and one
    number; with one name and addresses of one domain that is no provider's. Businesses are the same
    with one name.
    """
    name, email, number = (key(each, values.get(each)) for each in FIELDS)
    domain = email.partition("@")[2]
    own: list[Key] = [("email", email, name)] if email else []
    if name and number:
        own.append(("number", number, name))
    if name and domain and not _is_public(domain):
        own.append(("domain", domain, name))
    if name and is_business:
        own.append(("business", name))
    texts = {"email": email, "phone": number, "name": name}
    shared: dict[str, Key] = {word: (word, text) for word, text in texts.items() if text}
    wanted = list(own)
    if email:
        wanted.append(("email", email, "") if name else ("email", email))
    return Identity(tuple(own), tuple(wanted), shared)


def _is_public(domain: str) -> bool:
    return domain in PUBLIC_DOMAINS or domain.partition(".")[0] in PUBLIC_NAMES


def typed_number(text: str) -> str:
    """Return the phone number in a text, without a word such as "Tel." before it; "" for other
    texts.
    """
    found = _PHONE.match(text)
    number = found["number"].strip() if found else ""
    return number if len(_digits(number)) >= MIN_DIGITS else ""


def is_whole(number: str) -> bool:
    """Return whether a number is long enough to be a caller's."""
    return len(_digits(number)) >= WHOLE


def keys_of(name: str, email: str, numbers: Iterable[str]) -> set[str]:
    """Return the search keys of a contact, each with its kind."""
    keys = {f"word {word}" for word in words_of(name)}
    if email:
        keys.add(f"email {key('cstemail', email)}")
    return keys | {f"number {end}" for number in numbers for end in _stored_ends(number)}


def words_of(name: str) -> list[str]:
    """Return the words of a name in one case."""
    letters = (each if _is_in_word(each) else " " for each in folded(name))
    words = (word for word in "".join(letters).split() if len(word) >= MIN_LETTERS)
    return list(dict.fromkeys(words))[:MAX_WORDS]


def _is_in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM"


def number_keys(typed: str) -> list[str]:
    """Return the keys that a typed number may have, with any prefix."""
    digits = _digits(_without_zero(typed))
    ends = (digits[at:].lstrip("0") for at in range(MAX_PREFIX + 1))
    return [f"number {end}" for end in dict.fromkeys(ends) if len(end) >= MIN_DIGITS]


def is_caller(typed: str, number: str) -> bool:
    """Return whether a typed number is this number of a contact, or the end of it. Numbers of two
    countries never are.
    """
    if phonenumbers.is_number_match(number, typed) in SAME_NUMBER:
        return True
    ours, theirs = _international(number), _international(typed)
    if ours and theirs:
        return ours == theirs
    ends = {f"number {end}" for end in _stored_ends(number)}
    return bool(ends.intersection(number_keys(typed)))


def _stored_ends(number: str) -> set[str]:
    """Return the digits that every form of a stored number ends with, as far as these are known."""
    whole = _international(number)
    end = (whole[1] if whole else _digits(_without_zero(number))).lstrip("0")
    ends = {end, end[1:].lstrip("0")} if not whole and len(end) > LONG else {end}
    return {each for each in ends if len(each) >= MIN_DIGITS}


def _international(number: str) -> tuple[int, str] | None:
    text = _without_zero(number).strip()
    text = text if text.startswith("+") else _ABROAD.sub("+", _digits(text))
    if not text.startswith("+"):
        return None
    try:
        parsed = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        return None
    return parsed.country_code or 0, str(parsed.national_number)


def _without_zero(number: str) -> str:
    """Remove the zero in brackets that is dialled only within a country: +49 (0)30."""
    is_abroad = number.strip().startswith(("+", "00"))
    return number.replace("(0)", "") if is_abroad else number


def _digits(number: str) -> str:
    return str(phonenumbers.normalize_digits_only(number))
