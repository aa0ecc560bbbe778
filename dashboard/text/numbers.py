"""Parses and formats numbers, as a person types them and as the column of a file writes them. A
number that the other style reads as a different number, such as "1.234" where the point is the
decimal mark, is rejected with a message that names both unambiguous spellings.
"""

import re
import unicodedata
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache

from .style import MARKS, PLAIN, POINT, NotReadable, Style, group_of

MAX_DIGITS = 15  # more than JSON numbers carry exactly
FINEST = Decimal("0.0001")  # no currency has smaller units (ISO 4217)
EXACT = Context(prec=120)  # for any product of the numbers that a form or the gateway lets through
_AMBIGUOUS = {mark: re.compile(rf"[1-9][0-9]{{0,2}}{re.escape(mark)}[0-9]{{3}}") for mark in MARKS}
_GAPS = re.compile("(?<=[0-9])['’\u00a0\u2009\u202f ](?=[0-9]{3}(?![0-9]))")  # noqa: RUF001


def parse_number(text: str, mark: str) -> Decimal | None:
    """Parse a number with the decimal mark `mark`, exactly; None for other texts. Thousands may be
    separated, decimals left out; currency signs are ignored.
    """
    body, sign = _bare_number(text)
    point, group = re.escape(mark), re.escape(group_of(mark))
    grouped = rf"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+"
    if mark == POINT:
        grouped += "|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"  # 1,23,456, as in India
    whole = f"(?:[0-9]+|{grouped})"
    match = re.fullmatch(rf"({whole})(?:{point}([0-9]*))?|{point}([0-9]+)", body)
    if not match:
        return None
    digits, decimals = re.sub(group, "", match[1] or "0"), match[2] or match[3]
    number = Decimal(f"{digits}.{decimals}" if decimals else digits)
    return number.copy_negate() if sign else number


def read_number(text: str, style: Style = PLAIN) -> Decimal:
    """Parse a typed number, exactly. Raises NotReadable with what to type instead."""
    number, (body, _) = parse_number(text, style.mark), _bare_number(text)
    if number is None:
        raise NotReadable(_wrong_number(text, style))
    if sum(char.isdigit() for char in body) > MAX_DIGITS:
        raise NotReadable(f"Enter {MAX_DIGITS} digits or fewer.")
    if _is_ambiguous(body, style.mark):
        whole = body.replace(style.mark, "")
        raise NotReadable(
            f"“{text.strip()}” is ambiguous. Enter {whole}, or {body}0 for the decimals."
        )
    return number


def read_any_number(text: str) -> Decimal:
    """Parse a number of unknown style. Raises NotReadable if the styles differ and the comma may
    separate thousands; "1.234" has a decimal point, as programs write it.
    """
    numbers = [number for mark in MARKS if (number := parse_number(text, mark)) is not None]
    if not numbers:
        raise NotReadable(f"“{text.strip()}” isn't a number. Enter a number, for example 1234.5.")
    if "," in text and numbers[0] != numbers[-1]:
        raise NotReadable(f"Did you mean thousands? Enter {text.strip()} without the comma.")
    return numbers[0]


def proposal(text: str, style: Style) -> tuple[str, str] | None:
    """Return the typed text and its number in the other style, written in this one; None for a text
    that `read_number` parses, or that is no number in either style.
    """
    other = parse_number(text, style.group)
    if other is None or parse_number(text, style.mark) is not None:
        return None
    return text.strip(), write_number(other, style)


def write_number(value: Decimal, style: Style = PLAIN, *, grouped: bool = False) -> str:
    """Format a number so that `read_number` parses it with the same style.

    `grouped` separates thousands. A zero is appended to three decimals that the other style reads
    as thousands.
    """
    whole, _, decimals = f"{value.copy_abs():{',' if grouped else ''}f}".partition(".")
    body = whole.replace(",", style.group) + (style.mark + decimals if decimals else "")
    body += "0" if _is_ambiguous(body, style.mark) else ""
    return f"-{body}" if value < 0 else body


def write_plain(number: Decimal | None) -> str:
    """Format with a decimal point, without trailing zeros: 95, 4.35; "" for None."""
    return "" if number is None else f"{number.normalize(EXACT):f}"


def write_amount(value: Decimal, style: Style = PLAIN, places: int = 2) -> str:
    """Format an amount for display, see `shown_amount`, with thousands separated."""
    return write_number(shown_amount(value, places), style, grouped=True)


def shown_amount(amount: Decimal, places: int = 2) -> Decimal:
    """Round to the places of the currency, or to up to four if the amount has them."""
    rounded = amount.quantize(_unit(places), ROUND_HALF_UP, EXACT)
    if rounded == amount:
        return rounded
    return trimmed(amount.quantize(FINEST, ROUND_HALF_UP, EXACT), places)


@cache
def _unit(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def trimmed(number: Decimal, least: int = 0) -> Decimal:
    """Remove trailing zeros, but keep at least `least` decimal places."""
    exponent = min(int(number.normalize(EXACT).as_tuple().exponent), -least)
    return number.quantize(Decimal(1).scaleb(exponent), context=EXACT)


def _bare_number(text: str) -> tuple[str, str]:
    """Split into (digits and marks, sign), without surrounding spaces and currency signs."""
    body = text.strip().replace("\u2212", "-")
    sign = "-" if body.startswith("-") else ""
    body = body.removeprefix("-").removeprefix("+")
    body = "".join(char for char in body if not is_currency_sign(char)).strip()
    if not sign and body.startswith("-"):
        sign, body = "-", body[1:]
    return _GAPS.sub("", body), sign


def has_currency_sign(text: str) -> bool:
    return any(map(is_currency_sign, text))


def is_currency_sign(char: str) -> bool:
    return unicodedata.category(char) == "Sc"


def _is_ambiguous(body: str, mark: str) -> bool:
    return bool(_AMBIGUOUS[mark].fullmatch(body))


def _wrong_number(text: str, style: Style) -> str:
    if found := proposal(text, style):
        return "“{}”: did you mean {}?".format(*found)
    return f"“{text.strip()}” isn't a number. Enter a number, for example 1234{style.mark}50."
