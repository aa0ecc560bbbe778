"""Reads settings from the environment: NAME, or the content of the file named by NAME_FILE. An
invalid value raises ImproperlyConfigured with a sentence that names the setting and never quotes
the value, which may be a secret.
"""

import os
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from django.core.exceptions import ImproperlyConfigured
from environ import Env
from environ.fileaware_mapping import FileAwareMapping


class _Values(FileAwareMapping):  # type: ignore[misc]
    """NAME takes precedence unless it is empty: the demo sets it, whatever .env says of a file."""

    def __getitem__(self, name: str) -> str:
        if value := self.env.get(name):
            return str(value)
        try:
            return str(super().__getitem__(name)).strip()  # a file ends with a line break
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE: {error.strerror}.") from None


NO_SETTINGS = {"API_ACCESS_KEY", "API_SECRET_KEY"}  # of `manage.py check_api`
SIMILAR = 0.85  # of difflib: two letters of eight exchanged
ON, OFF = ("1", "true", "t", "yes", "y", "on", "ok"), ("", "0", "false", "f", "no", "n", "off")
EXAMPLES = {
    "DATABASE_URL": "postgres://user:password@host/name or sqlite:////path/to/file",
    "CACHE_URL": "rediss://user:password@host:6379/0",
    "EMAIL_URL": "smtp+tls://user:password@host:587",
}


class Environment(Env):  # type: ignore[misc]
    """Also raises ImproperlyConfigured for a file that cannot be read. names: of the settings that
    were read.
    """

    ENVIRON = _Values()

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        self.names.add(var)
        return super().get_value(var, *args, **kwargs)

    def misspelt(self) -> Mapping[str, str]:
        """Return the nearest setting of each variable that is nearly called like one."""
        known = self.names | {f"{name}_FILE" for name in self.names} | NO_SETTINGS
        unknown = (name for name in os.environ if name not in known)
        nearest = {name: get_close_matches(name, known, n=1, cutoff=SIMILAR) for name in unknown}
        return {name: found[0] for name, found in nearest.items() if found}

    def int(self, var: str, default: Any = Env.NOTSET) -> int:
        """Parse a whole number of at least 1."""
        try:
            value = int(super().int(var, default))
        except ValueError:
            value = 0
        if value < 1:
            raise _wrong(var, "a whole number of at least 1")
        return value

    def float(self, var: str, default: Any = Env.NOTSET) -> float:
        """Parse a number above 0."""
        try:
            value = float(super().str(var, default))
        except ValueError:
            value = 0
        if not 0 < value < float("inf"):
            raise _wrong(var, "a number above 0")
        return value

    def bool(self, var: str, default: Any = Env.NOTSET) -> bool:
        text = str(super().str(var, default)).strip().lower()
        if text not in ON + OFF:
            raise _wrong(var, "on or off")
        return text in ON

    def dict(self, var: str, default: Any = Env.NOTSET) -> Any:
        """Parse names with values: a=b,c=d."""
        try:
            return super().dict(var, default=default)
        except ValueError:
            raise _wrong(
                var, "pairs separated by commas, for example sales=Editor,board=Manager"
            ) from None

    def time_zone(self, var: str, default: str) -> str:
        value = str(super().str(var, default))
        if value not in available_timezones():
            raise _wrong(var, "a time zone, for example Europe/London")
        return value

    def web_address(self, var: str) -> str:
        """Parse an http or https address; remove a final slash. "" if it is not set."""
        value = str(super().str(var, "")).rstrip("/")
        if value and not is_web_address(value):
            raise _wrong(var, "an address like https://desk.example.com")
        return value

    def db(self, var: str, default: Any = Env.NOTSET) -> Any:
        return self._address(var, default, self.DB_SCHEMES, super().db)

    def cache(self, var: str, default: Any = Env.NOTSET) -> Any:
        return self._address(var, default, self.CACHE_SCHEMES, super().cache)

    def email(self, var: str, default: Any = Env.NOTSET) -> Any:
        return self._address(var, default, self.EMAIL_SCHEMES, super().email)

    def _address(self, var: str, default: Any, schemes: Collection[str], read: Any) -> Any:
        words = f"an address like {EXAMPLES[var]}"
        scheme, colon, _ = super().str(var, default).partition(":")
        if not colon or scheme not in schemes:
            raise _wrong(var, words)
        try:
            return read(var, default)
        except ValueError:  # such as a port that is no number
            raise _wrong(var, words) from None


def is_web_address(url: str) -> bool:
    """Return whether this is an http or https address with a host, without credentials and
    query.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


def _wrong(var: str, words: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{var} must be {words}.")
