# Shared by install.sh, upgrade.sh and uninstall.sh.
set -eu
umask 022
home=/srv/entry-desk
releases=$home/releases
packages=$home/packages # virtual environments
backups=$home/backups
step=$home/unfinished-step  # of an upgrade or rollback: "upgrade|back FROM TO COPY"
former=$home/former-release # of the last upgrade: "RELEASE COPY"
etc=/etc/entry-desk
secrets=$etc/secrets
answers=$etc/answers
site=entry-desk         # the account of site and workers
owner=entry-desk-owner  # the account that owns the tables, with PostgreSQL
checkout=$(cd "$(dirname "$0")/../.." && pwd -P)

trap end EXIT
end() { # also after a failed command, which has printed the reason
    status=$?
    [ -z "${given:-}" ] || rm -f "$given"
    [ $status = 0 ] || [ -n "${said:-}" ] ||
        echo "$(basename "$0"): stopped for the reason above. Correct it, and run this again to continue." >&2
}

stop() {
    said="$(basename "$0"): $*"
    echo "$said" >&2
    exit 1
}

did() {
    echo "+ $*"
}

need_root_on_debian() {
    [ "$(id -u)" = 0 ] || stop "Run this as root."
    grep -Eqs '^VERSION_ID="1[23]"' /etc/os-release ||
        stop "This needs Debian 12 or 13. For other systems see docs/install-by-hand.md."
}

# --- Releases: each in a folder of its own, with its packages and static files --------------------
current() { # the name of the release that the site runs, or nothing
    [ ! -L $home/current ] || basename "$(readlink $home/current)"
}

files_of() { # FOLDER: the names of the files that belong to a release
    (cd "$1" && find manage.py pyproject.toml requirements-all.txt .env.example dashboard templates static docs \
        -name __pycache__ -prune -o -type f -print0 | LC_ALL=C sort -z)
}

name_of() { # FOLDER: VERSION-DIGEST, so that two releases with the same files have the same name
    case $1 in
    $releases/*) basename "$1" ;;
    *)
        version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$1/dashboard/__init__.py")
        digest=$(files_of "$1" | (cd "$1" && xargs -0 sha256sum) | sha256sum | cut -c 1-12)
        echo "$version-$digest"
        ;;
    esac
}

copy_release() { # sets `release`, the folder of this checkout's copy, owned by root and readable by everyone
    release=$releases/$(name_of "$checkout")
    [ -d "$release" ] || {
        rm -rf $releases/new
        install -d -m 755 $home $releases $releases/new
        files_of "$checkout" >$releases/new/files
        (cd "$checkout" && xargs -0 cp -a --no-preserve=ownership --parents -t $releases/new) <$releases/new/files
        rm $releases/new/files
        ln -s $home/.env $releases/new/.env
        install -d -m 755 -o $site $releases/new/var
        chmod -R u=rwX,go=rX $releases/new
        mv $releases/new "$release"
        did "copied the release to $release"
    }
}

complete_release() { # RELEASE: its packages, shared by releases with the same requirements, and its static files
    venv=$packages/$( (python3 --version && cat "$1/requirements-all.txt") | sha256sum | cut -c 1-12)
    [ -e "$venv/complete" ] || {
        python3 -m venv --clear "$venv"
        "$venv/bin/python" -m pip install -q --require-hashes -r "$1/requirements-all.txt"
        touch "$venv/complete"
        did "installed its packages in $venv"
    }
    [ "$(readlink "$1/.venv")" = "$venv" ] || ln -sfn "$venv" "$1/.venv"
    [ -e "$1/var/static/staticfiles.json" ] || {
        manage "$1" collectstatic --noinput -v 0
        did "collected its static files"
    }
}

switch() { # RELEASE: atomically, by renaming a link
    [ "$(current)" = "$(basename "$1")" ] || {
        ln -sfn "$1" $home/current.new
        mv -T $home/current.new $home/current
        did "switched to the release $(basename "$1")"
    }
}

manage() { # RELEASE ARGUMENTS of manage.sh
    folder=$1
    shift
    sh "$folder/dashboard/deploy/manage.sh" "$@"
}

# --- systemd, which does not run in a container ---------------------------------------------------
control() { # ARGUMENTS of systemctl
    [ ! -d /run/systemd/system ] || systemctl "$@"
}

stop_all() {
    control stop entry-desk-backup.timer entry-desk.socket entry-desk.service 'entry-desk-worker@*' entry-desk-backup.service
}
