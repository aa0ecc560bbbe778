"""Importing a module starts no thread or process, opens no connection and writes no file."""

import pytest

from tests.processes import python

OBSERVE = """
import os, sys, threading

EFFECTS = {
    "thread", "socket.connect", "socket.bind", "sqlite3.connect", "subprocess.Popen", "os.fork",
    "os.system", "os.posix_spawn", "mmap.__new__", "ctypes.dlopen", "os.mkdir", "os.remove",
    "os.rename", "os.putenv", "tempfile.mkstemp",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

def effect(event, arguments):
    if event == "open":
        return isinstance(arguments[2], int) and arguments[2] & WRITING
    return event in EFFECTS

def observe(event, arguments):
    if module and effect(event, arguments):
        print(f"{module[0]}: {event} {arguments!r:.200}")

def start(thread, original=threading.Thread.start):  # Python 3.11 has no event for it
    observe("thread", thread)
    original(thread)

module = []
threading.Thread.start = start
sys.addaudithook(observe)
"""
# urllib3, which allauth's view of OpenID Connect imports, tries for a moment whether there is IPv6.
TRIES_IPV6 = "laddr=('::', 0, 0, 0)>, ('::1', 0))"
IMPORT_ALL = """
import importlib, pkgutil
import django
from django.conf import settings

settings.DEBUG  # loads dashboard.settings, which puts the variables of .env into the environment
module[:] = ["django.setup()"]
django.setup()
import dashboard

for found in pkgutil.walk_packages(dashboard.__path__, "dashboard."):
    if not found.name.endswith(".__main__"):
        module[:] = [found.name]
        importlib.import_module(found.name)
print("imported", len(sys.modules))
"""


def observed(program: str) -> list[str]:
    """The output of a new process that runs `program` and reports effects."""
    named = {"DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    done = python("-B", "-c", OBSERVE + program, **named)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_importing_any_module_has_no_effect():
    *effects, end = observed(IMPORT_ALL)
    assert end.startswith("imported")
    assert not [each for each in effects if not each.endswith(TRIES_IPV6)]
