"""A bare Debian in a folder, made by debootstrap, and its units started there as systemd does."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.deploy.installed import ROOT
from tests.test_deployment import NOT_CLONED
from tests.waits import wait_until

PATHS = "/usr/sbin:/usr/bin:/sbin:/bin"
HOME = "srv/entry-desk"
CHECKOUT = "root/entry-desk"
HOSTS = "127.0.0.1 localhost desk.example.test\n::1 localhost\n"
UNIT_FOLDERS = ("etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system")
LOW_PORTS = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
# In a chroot nothing may start what a package brings; systemd does so on a machine.
POLICY = "#!/bin/sh\nexit 101\n"
# What a tree that is thrown away does without: files forced to the disk, manuals, translations.
QUICK = {
    "etc/dpkg/dpkg.cfg.d/quick": "force-unsafe-io\npath-exclude=/usr/share/man/*\n",
    "etc/apt/apt.conf.d/quick": 'Acquire::Languages "none";\n',
}

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def need() -> None:
    """Skip the test unless REQUIRE_DEBOOTSTRAP=1, as it takes minutes where debootstrap is, too."""
    if os.environ.get("REQUIRE_DEBOOTSTRAP") != "1":
        pytest.skip("a bare Debian is for .ci/install")


def release() -> tuple[str, str]:
    """The name of a release of Debian, this machine's unless BARE_DEBIAN names one, and the address
    that apt has this machine's from.
    """
    own = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())
    assert own
    targets = ["apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)"]
    known = subprocess.run(targets, check=True, capture_output=True, text=True).stdout
    address = dict(line.split() for line in known.splitlines())[own[1]]
    return os.environ.get("BARE_DEBIAN") or own[1], address


def made(folder: Path) -> Path:
    """A bare Debian of this machine's release with a checkout that only root may look into."""
    root = folder / "root"
    name, address = release()
    for file, text in QUICK.items():
        (root / file).parent.mkdir(parents=True)
        (root / file).write_text(text)
    # With mounts of its own, so that none is left behind.
    command = ["unshare", "--mount", "debootstrap", "--variant=minbase", "--include=systemd"]
    subprocess.run([*command, name, str(root), address], check=True)
    (root / "etc/hosts").write_text(HOSTS)
    (root / "usr/sbin/policy-rc.d").write_text(POLICY)
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    shutil.copytree(ROOT, root / CHECKOUT, ignore=shutil.ignore_patterns(*NOT_CLONED))
    (root / CHECKOUT).chmod(0o700)
    for configured in (Path("/etc/pip.conf"), Path(os.environ.get("PIP_CERT", "/"))):
        if configured.is_file():
            shutil.copy(configured, root / "etc" / configured.name)
    return root


def copied(made: Path, root: Path) -> Path:
    """Copy a Debian to this path, where nothing is yet."""
    subprocess.run(["cp", "-a", "--reflink=auto", "-T", str(made), str(root)], check=True)
    return root


def run(root: Path, command: list[str], *, apart: bool = False) -> str:
    """What a program printed that must end well (`ended`)."""
    status, printed = ended(root, command, apart=apart)
    assert status == 0, printed[-8000:]
    return printed


def ended(root: Path, command: list[str], *, apart: bool = False) -> tuple[int, str]:
    """Run a program of this machine with processes and mounts of its own, in which the bare Debian
    has /proc, /dev and the packages that this machine's pip finds. Return its status and what it
    printed. `apart`: also with a loopback of its own and no other network. Ends all processes that
    it started.
    """
    mounts = [f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev"]
    for found in package_folders():
        mounts.append(f"mkdir -p {root}{found} && mount --bind {found} {root}{found}")
    if apart:
        mounts += ["ip link set lo up", f"mount --bind {root}/etc/hosts /etc/hosts"]
    namespaces = ["--mount", "--pid", "--mount-proc", "--fork", "--kill-child"]
    if apart:
        namespaces.append("--net")
    # The first process of the namespace is the shell, as that one cannot kill itself.
    script = f'set -e; {"; ".join(mounts)}; "$@"; exit $?'
    done = subprocess.run(
        ["unshare", *namespaces, "sh", "-c", script, "sh", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@contextmanager
def booted(root: Path) -> Iterator[Run]:
    """Start the bare Debian with its own systemd and no network but the loopback, and yield what
    runs a program there. Its end is a power cut.
    """
    options = ["--register=no", "--keep-unit", "--private-network", "--console=pipe"]
    machine = subprocess.Popen(
        ["systemd-nspawn", *options, "--boot", "--directory", str(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    search = ["pgrep", "-P", str(machine.pid), "-x", "systemd"]
    first = wait_until(
        lambda: subprocess.run(search, capture_output=True, text=True).stdout.strip()
    )
    given = ["env", "-i", f"PATH={PATHS}", "HOME=/root"]
    entered = ["nsenter", "-t", first, "-m", "-u", "-i", "-n", "-p", "-C", *given]
    try:
        yield lambda *command: subprocess.run(
            [*entered, *command], capture_output=True, text=True, check=False
        )
    finally:
        os.kill(int(first), signal.SIGKILL)
        machine.wait(60)


def inside(root: Path, *command: str) -> list[str]:
    """The command that runs a program of the bare Debian as root."""
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    if "PIP_CERT" in pip:
        pip["PIP_CERT"] = f"/etc/{Path(pip['PIP_CERT']).name}"
    given = {"PATH": PATHS, "HOME": "/root", **pip}
    variables = [f"{name}={value}" for name, value in given.items()]
    return ["chroot", str(root), "env", "-i", *variables, *command]


def package_folders() -> list[str]:
    """The folders of this machine that its pip looks for packages in."""
    command = ["python3", "-m", "pip", "config", "list"]
    words = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    paths = re.findall(r"(?<=[ '/])(?:file://)?(/[\w./-]+)", words)
    return sorted({path for path in paths if Path(path).is_dir()})


class Unit:
    """A unit of the bare Debian, read as systemd reads it, and started as its own user."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name = root, name
        self.instance = name.partition("@")[2].partition(".")[0]
        file = re.sub("@.*[.]", "@.", name)
        found = [root / each / file for each in UNIT_FOLDERS if (root / each / file).exists()]
        lines = found[0].read_text().splitlines()
        self.settings = [line.partition("=")[::2] for line in lines if line[:1].isalpha()]
        self.process: subprocess.Popen[bytes] | None = None

    def values(self, name: str) -> list[str]:
        specifiers = {"%i": self.instance, "%d": f"/run/credentials/{self.name}", "%%": "%"}
        values = [value for key, value in self.settings if key == name]
        return [re.sub("%.", lambda found: specifiers[found[0]], value) for value in values]

    def account(self) -> tuple[str, int, int, str]:
        """Name, ids and home of the unit's user."""
        name = next(iter(self.values("User")), "root")
        rows = (self.root / "etc/passwd").read_text().splitlines()
        row = next(row.split(":") for row in rows if row.startswith(f"{name}:"))
        return name, int(row[2]), int(row[3]), row[5]

    def environment(self) -> dict[str, str]:
        name, _, _, home = self.account()
        found = {"PATH": PATHS, "USER": name, "HOME": home}
        for file in self.values("EnvironmentFile"):
            lines = (self.root / file.lstrip("/-")).read_text().splitlines()
            found |= dict(line.split("=", 1) for line in lines if line[:1].isalpha())
        for pair in (pair for line in self.values("Environment") for pair in shlex.split(line)):
            found |= dict([pair.split("=", 1)])
        return found

    def prepare(self) -> None:
        """Make the folders and copies of secrets that systemd makes for the unit."""
        _, user, group, _ = self.account()
        folders = [self.root / "run" / each for each in self.values("RuntimeDirectory")]
        credentials = self.root / "run/credentials" / self.name
        for folder in (*folders, credentials):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            os.chown(folder, user, group)
        if "CAP_NET_BIND_SERVICE" in self.values("AmbientCapabilities"):
            LOW_PORTS.write_text("0")  # of this namespace
        for loaded in self.values("LoadCredential"):
            name, _, source = loaded.partition(":")
            shutil.copy(self.root / source.lstrip("/"), credentials / name)
            (credentials / name).chmod(0o400)
            os.chown(credentials / name, user, group)

    def sockets(self) -> list[socket.socket]:
        """What systemd listens on for the unit."""
        names = [each for each in self.values("Requires") if each.endswith(".socket")]
        addresses = [one for each in names for one in Unit(self.root, each).values("ListenStream")]
        split = [address.rpartition(":") for address in addresses]
        return [socket.create_server((host, int(port))) for host, _, port in split]

    def start(self, sockets: list[socket.socket]) -> None:
        """Run its ExecStart. The sockets stay open when it ends, as those of systemd do."""
        self.prepare()
        name, _, group, _ = self.account()
        [command] = [shlex.split(value.lstrip("-")) for value in self.values("ExecStart")]
        given = [f"{key}={value}" for key, value in self.environment().items()]
        place = next(iter(self.values("WorkingDirectory")), "/")
        handed = f"export LISTEN_PID=$$ LISTEN_FDS={len(sockets)}; " if sockets else ""
        moved = "".join(f"exec {3 + at}<&{each.fileno()}; " for at, each in enumerate(sockets))
        run_as = ["chroot", f"--userspec={name}:{group}", str(self.root), "env", "-i", "-C", place]
        self.process = subprocess.Popen(
            [*run_as, *given, "sh", "-c", f'{moved}{handed}exec "$@"', "sh", *command],
            pass_fds=[each.fileno() for each in sockets],
        )

    def stop(self) -> None:
        assert self.process
        self.process.terminate()
        assert self.process.wait(60) is not None

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None


def wait_for_end(unit: Unit) -> None:
    """Wait until a unit that goes into the background has done so."""
    wait_until(lambda: not unit.runs())
    assert unit.process
    assert unit.process.returncode == 0, unit.name
