"""The environment variables of the demo. Its files are created in var/demo/ on first use.

Must not import Django, as it runs before the settings are read.
"""

import base64
import os
import secrets
import socket
from pathlib import Path

DEMO_DIR = Path(os.environ.get("DEMO_DIR") or Path(__file__).resolve().parents[2] / "var" / "demo")
SECRETS = DEMO_DIR / "secrets.env"
LOOPBACK = "127.0.0.1"


def set_environment() -> None:
    """Set the variables that settings.py reads: secrets, SQLite, mail to files, a free API port."""
    os.environ.update(_secrets())
    os.environ.update(
        API_BASE_URL=f"http://{LOOPBACK}:{free_port()}",
        DATABASE_URL=f"sqlite:///{DEMO_DIR / 'db.sqlite3'}",
        CACHE_URL="locmemcache://?max_entries=10000",
        API_UNPUBLISHED="tasks.update,tasks.delete,leads.get,leads.update,deals.deal_current_stage",
        EMAIL_URL=f"filemail:///{DEMO_DIR / 'mail'}",
        SITE_URL=f"http://{LOOPBACK}",  # the command adds its port
        DEBUG="off",
        SECOND_FACTOR_ROLES="",  # anyone tries every role at once
        DJANGO_SETTINGS_MODULE="dashboard.administration.demo_settings",
    )


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
    return port


def is_free(port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _secrets() -> dict[str, str]:
    """Return the secrets from their file (mode 600), which the first call creates."""
    if not SECRETS.exists():
        new = {
            "SECRET_KEY": secrets.token_urlsafe(50),
            "FIELD_ENCRYPTION_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            "DEMO_PASSWORD": secrets.token_urlsafe(9),
        }
        # The directory also holds emails and sessions.
        DEMO_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
        SECRETS.touch(mode=0o600, exist_ok=False)
        SECRETS.write_text("".join(f"{name}={value}\n" for name, value in new.items()))
    lines = SECRETS.read_text(encoding="ascii").splitlines()
    return dict(line.split("=", 1) for line in lines)
