#!/bin/sh
# Runs manage.py of this release with the account and the secrets of the site. As root:
# `manage.sh createsuperuser`; `manage.sh --owner migrate` as the account that owns the tables, for backup, migrate and restore.
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "Run this as root." >&2 && exit 1; }
account=entry-desk
if [ "${1:-}" = --owner ]; then
    shift
    ! getent passwd entry-desk-owner >/dev/null || account=entry-desk-owner  # with SQLite there is one account
fi
# libpq reads certificates from HOME, and may not look into that of root.
export HOME=/srv/entry-desk
for file in /etc/entry-desk/secrets/*; do
    [ ! -f "$file" ] || export "$(basename "$file")=$(cat "$file")"
done
exec setpriv --reuid="$account" --regid="$account" --init-groups .venv/bin/python manage.py "$@"
