# What install.sh, upgrade.sh and uninstall.sh share; each reads it as its first step.
set -eu
umask 022
home=/srv/entry-desk
releases=$home/releases
packages=$home/packages # virtual environments
backups=$home/backups
step=$home/unfinished-step  # of an upgrade or the way back: "upgrade|back FROM TO COPY"
former=$home/former-release # of the last upgrade: "RELEASE COPY"
etc=/etc/entry-desk
secrets=$etc/secrets
answers=$etc/answers
site=entry-desk         # the account of site and workers
owner=entry-desk-owner  # the account that owns the tables, with PostgreSQL
checkout=$(cd "$(dirname "$0")/../.." && pwd -P)

trap end EXIT
end() { # also where a command has failed, which has said why
    status=$?
    [ -z "${given:-}" ] || rm -f "$given"
    [ $status = 0 ] || [ -n "${said:-}" ] ||
        echo "$(basename "$0"): stopped, for the reason above. Correct that, and run this again: it continues where it stopped." >&2
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
        stop "This is for Debian 12 and 13. docs/install-by-hand.md is for other systems."
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

copy_release() { # sets `release`, the folder of this checkout's copy, which belongs to root and everybody may read
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

complete_release() { # RELEASE: its packages, which releases that need the same ones share, and its static files
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

switch() { # RELEASE: at once, as one name takes the place of another
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
