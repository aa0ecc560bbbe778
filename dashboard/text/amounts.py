"""Parses amounts as banks, reports and spreadsheets write them: with a currency, in brackets or
with the minus behind, without decimals as in "1.234,-".
"""

import re
from collections.abc import Collection
from decimal import Decimal
from typing import NamedTuple

from .numbers import is_currency_sign, parse_number
from .plain import folded
from .style import MARKS

ISO_4217 = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN "
    "BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL "
    "GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF "
    "KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN "
    "MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD "
    "SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH "
    "UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
)
_SIGNS = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "£": "GBP", "$": "USD AUD CAD NZD HKD SGD MXN",
    "us$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD", "nz$": "NZD",
    "hk$": "HKD", "s$": "SGD", "mx$": "MXN", "r$": "BRL", "r": "ZAR", "¥": "JPY CNY",
    "₹": "INR", "rs": "INR PKR LKR NPR MUR", "kr": "SEK NOK DKK ISK", "zł": "PLN", "kč": "CZK",
    "ft": "HUF", "lei": "RON", "лв": "BGN", "fr": "CHF", "sfr": "CHF", "₽": "RUB", "₺": "TRY",
    "₪": "ILS", "₩": "KRW", "₴": "UAH", "฿": "THB", "₫": "VND", "₦": "NGN", "₱": "PHP",
}  # fmt: skip
MAX_LENGTH = 60  # characters
_CODES = frozenset(ISO_4217.split())
_POINT_BEHIND_LETTER = re.compile(r"(?<=[^\W\d_])\.")
_PARTS = re.compile(r"([^0-9]*?)([.,]?[0-9](?:.*[0-9])?[.,]?)([^0-9]*)")
_NO_DECIMALS = re.compile(r"(?<=[.,])[-\u2013\u2014]{1,2}(?=[^0-9]*$)")  # 1.234,-
_ODD = re.compile(r"[^0-9.,'\s()+-]")  # no part of a number
_AROUND = re.compile(r"[-+() ]")


class Amount(NamedTuple):
    """`currency`: as written, a code, a sign or a word; "" without one."""

    number: Decimal
    currency: str


def parse_amount(text: str, mark: str) -> Amount | None:
    """Parse an amount with the decimal mark `mark`; None for other texts."""
    if len(text) > MAX_LENGTH:
        return None
    words = " ".join(text.replace("\u2212", "-").split())
    words = _NO_DECIMALS.sub("", _POINT_BEHIND_LETTER.sub(" ", words))
    parts = _PARTS.fullmatch(words)
    if not parts:
        return None
    before, body, behind = parts.groups()
    currency = _AROUND.sub("", before + behind)
    signs = "".join(_AROUND.findall(before + behind)).replace(" ", "")
    number = parse_number(body, mark)
    if number is None or signs not in ("", "+", "-", "()") or not _is_currency(currency):
        return None
    return Amount(-number if signs in ("-", "()") else number, currency)


def is_amount(text: str) -> bool:
    return any(parse_amount(text, mark) for mark in MARKS)


def currency_in(text: str) -> str:
    """Return the currency of an amount as it is written; "" without one, and for other texts."""
    amounts = [parse_amount(text, mark) for mark in MARKS] if _ODD.search(text) else []
    return next((amount.currency for amount in amounts if amount), "")


def codes_of(currency: str) -> Collection[str]:
    """Return the codes that a written currency may mean: those of several countries for "kr"."""
    if currency in _CODES:
        return (currency,)
    return _SIGNS.get(folded(currency), "").split()


def why_foreign(text: str, name: str) -> str:
    """Return the message about an amount in another currency than this one; "" if it is in this
    one.
    """
    written = currency_in(text)
    if not is_other_currency(written, name):
        return ""
    return f"“{written}” may be another currency. Enter the amount without it."


def is_other_currency(written: str, name: str) -> bool:
    """Return whether a written currency is another one than this. If this one is not known (""), a
    sign may mean it.
    """
    if not name:
        return written.isalpha()
    meant = map(folded, (written, *codes_of(written)))
    return bool(written) and folded(name) not in meant


def _is_currency(text: str) -> bool:
    return not text or bool(codes_of(text)) or all(map(is_currency_sign, text))
