"""The environment as settings read it: NAME, or the content of the file that NAME_FILE names."""

from django.core.exceptions import ImproperlyConfigured
from environ import Env
from environ.fileaware_mapping import FileAwareMapping


class _Values(FileAwareMapping):  # type: ignore[misc]
    """NAME comes first unless it is empty: the demo sets it, whatever .env says of a file."""

    def __getitem__(self, name: str) -> str:
        if value := self.env.get(name):
            return str(value)
        try:
            return str(super().__getitem__(name)).strip()  # a file ends with a line break
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE: {error.strerror}.") from None


class Environment(Env):  # type: ignore[misc]
    """Raises ImproperlyConfigured for a file that cannot be read."""

    ENVIRON = _Values()
