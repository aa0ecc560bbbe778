"""Parses and formats numbers in a person's style.

A number that the other style reads as a different number, such as "1.234" where the point is the
decimal mark, is refused with a message that names both unambiguous spellings.
"""

import re
from decimal import ROUND_HALF_UP, Context, Decimal

from dashboard.records.parsing.style import PLAIN, NotReadable, Style
from dashboard.tables.numbers import bare_number, parse_number

MOST_DIGITS = 15  # more than JSON numbers carry exactly
FINEST = Decimal("0.0001")  # no currency has smaller units (ISO 4217)
EXACT = Context(prec=120)  # for any product of the numbers that a form or the gateway lets through


def read_number(text: str, style: Style = PLAIN) -> Decimal:
    """The exact number typed. Raises NotReadable with what to type instead."""
    body, sign = bare_number(text)
    own = parse_number(body, style.mark, style.group)
    if own is None:
        raise NotReadable(_wrong_number(text, body, style))
    if sum(char.isdigit() for char in body) > MOST_DIGITS:
        raise NotReadable(f"Write a number of at most {MOST_DIGITS} digits.")
    if _is_ambiguous(body, style.mark):
        whole = body.replace(style.mark, "")
        raise NotReadable(
            f"“{text.strip()}” can be read in two ways. Write {whole}, or {body}0 for the decimals."
        )
    return -own if sign == "-" else own


def write_number(value: Decimal, style: Style = PLAIN, *, grouped: bool = False) -> str:
    """The number as text that `read_number` parses with the same style.

    `grouped` separates thousands. A zero is appended to three decimals that the other style
    reads as thousands.
    """
    whole, _, decimals = f"{value.copy_abs():{',' if grouped else ''}f}".partition(".")
    body = whole.replace(",", style.group) + (style.mark + decimals if decimals else "")
    body += "0" if _is_ambiguous(body, style.mark) else ""
    return f"-{body}" if value < 0 else body


def write_amount(value: Decimal, style: Style = PLAIN) -> str:
    """An amount of money to be read, see `shown_amount`, with thousands separated."""
    return write_number(shown_amount(value), style, grouped=True)


def shown_amount(amount: Decimal) -> Decimal:
    """An amount with two places, or with up to four if it has them."""
    return trimmed(amount.quantize(FINEST, ROUND_HALF_UP, EXACT), 2)


def trimmed(number: Decimal, least: int = 0) -> Decimal:
    """The number without trailing zeros, but with at least `least` decimal places."""
    exponent = min(int(number.normalize(EXACT).as_tuple().exponent), -least)
    return number.quantize(Decimal(1).scaleb(exponent), context=EXACT)


def _is_ambiguous(body: str, mark: str) -> bool:
    """Whether the other style reads the decimals as thousands."""
    return bool(re.fullmatch(rf"[1-9][0-9]{{0,2}}{re.escape(mark)}[0-9]{{3}}", body))


def _wrong_number(text: str, body: str, style: Style) -> str:
    other = parse_number(body, style.group, style.mark)
    if other is None:
        return f"“{text.strip()}” is not a number. Write a number such as {_sample(style)}."
    meant = write_number(other, style)
    return f"“{text.strip()}” is written the other way. If you mean {meant}, write it so."


def _sample(style: Style) -> str:
    return f"1234{style.mark}50"
