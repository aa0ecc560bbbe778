"""The environment as settings read it: NAME, or the file that NAME_FILE names."""

from django.core.exceptions import ImproperlyConfigured
from environ import Env
from environ.fileaware_mapping import FileAwareMapping


class _Values(FileAwareMapping):  # type: ignore[misc]
    """Without the line break at a file's end, which is in no secret."""

    def __getitem__(self, name: str) -> str:
        try:
            return str(super().__getitem__(name)).strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE: {error.strerror}.") from None


class Environment(Env):  # type: ignore[misc]
    """Raises ImproperlyConfigured for a file that cannot be read."""

    ENVIRON = _Values()
