"""Who is the same person: what names, email addresses and phone numbers are compared by.

A phone number is stored and typed in many forms: with the code of its country, with the prefixes of
calls within a country or abroad, or without. All forms of one number end with the same digits. So a
contact has the mark of its number without what comes before those, and a typed number is looked for
with up to MAX_PREFIX digits taken off its start. `is_caller` then compares the numbers themselves.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

import phonenumbers

FIELDS = {"cstname": "name", "cstemail": "email", "cstmobile": "number"}  # of contacts and leads
PHONE = "cstmobile"
NAME_KEY = "cstname "  # begins the key of a name
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
_WORD = re.compile(r"[^\W_]+")
_PHONE = re.compile(
    r"^\s*(?:tel(?:ephone)?|phone|mobile|mob|fon)?[.:\s]*(?P<number>\+?[\d\s()/.\-\u2010-\u2015]{5,})$",
    re.I,
)


def key(field: str, value: object) -> str:
    """What two values of one of FIELDS have in common that are the same; "" for what is too short.

    Words count in any case. Of a number the last nine digits count, so that "030 1234567" and
    "+49 30 1234567" are the same.
    """
    text = str(value or "")
    if field != PHONE:
        return folded(text)
    digits = _digits(text.replace("(0)", ""))
    return digits[-9:] if len(digits) >= MIN_DIGITS else ""


def folded(text: str) -> str:
    """The words of a text in one case and width, as names are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def person_keys(values: Mapping[str, object], *, is_business: bool) -> list[str]:
    """What a person or a business is known by: the email address, the number with the name, the
    name; of a person the name alone only without the others.
    """
    name, email, number = (key(each, values.get(each)) for each in FIELDS)
    keys = [f"cstemail {email}"] if email else []
    if number:  # one person's, or that of a switchboard or a family
        keys.append(f"{PHONE} {number} {name}")
    if name and (not keys or is_business):
        keys.append(f"{NAME_KEY}{name}")
    return keys


def is_name_alone(keys: Iterable[str]) -> bool:
    """Whether these keys are a name, which other people may have too."""
    return all(key.startswith(NAME_KEY) for key in keys)


def typed_number(text: str) -> str:
    """The phone number that a text is, without a word such as "Tel." before it; "" for others."""
    found = _PHONE.match(text)
    number = found["number"].strip() if found else ""
    return number if len(_digits(number)) >= MIN_DIGITS else ""


def is_whole(number: str) -> bool:
    """Whether a number is long enough to be one that somebody calls from."""
    return len(_digits(number)) >= WHOLE


def keys_of(name: str, email: str, numbers: Iterable[str]) -> set[str]:
    """What a contact is found by, each with its kind."""
    keys = {f"word {word}" for word in words_of(name)}
    if email:
        keys.add(f"email {key('cstemail', email)}")
    return keys | {f"number {end}" for number in numbers for end in _stored_ends(number)}


def words_of(name: str) -> list[str]:
    """The words of a name in one case, without accents of their own code."""
    words = (word for word in _WORD.findall(folded(name)) if len(word) >= MIN_LETTERS)
    return list(dict.fromkeys(words))[:MAX_WORDS]


def number_keys(typed: str) -> list[str]:
    """The keys that a typed number may have, whatever stands before the number itself."""
    digits = _digits(_without_zero(typed))
    ends = (digits[at:].lstrip("0") for at in range(MAX_PREFIX + 1))
    return [f"number {end}" for end in dict.fromkeys(ends) if len(end) >= MIN_DIGITS]


def is_caller(typed: str, number: str) -> bool:
    """Whether a typed number is this one of a contact, or the end of it. Numbers of two countries
    never are.
    """
    if phonenumbers.is_number_match(number, typed) in SAME_NUMBER:
        return True
    ours, theirs = _international(number), _international(typed)
    if ours and theirs:
        return ours == theirs
    ends = {f"number {end}" for end in _stored_ends(number)}
    return bool(ends.intersection(number_keys(typed)))


def _stored_ends(number: str) -> set[str]:
    """The digits of a stored number that every form of it ends with, as far as these are known."""
    whole = _international(number)
    end = (whole[1] if whole else _digits(_without_zero(number))).lstrip("0")
    ends = {end, end[1:].lstrip("0")} if not whole and len(end) > LONG else {end}
    return {each for each in ends if len(each) >= MIN_DIGITS}


def _international(number: str) -> tuple[int, str] | None:
    """The code of the country and the number in it, of a number that says its country."""
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
    """Without the zero in brackets that is dialled within a country only: +49 (0)30."""
    is_abroad = number.strip().startswith(("+", "00"))
    return number.replace("(0)", "") if is_abroad else number


def _digits(number: str) -> str:
    return str(phonenumbers.normalize_digits_only(number))
