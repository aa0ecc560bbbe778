#!/bin/sh
# As root: manage.py as the user entry-desk, with the secrets that the units load. `manage.sh createsuperuser`;
# `manage.sh --owner migrate` with the account that owns the tables, for migrate and restore.
set -eu
cd /srv/entry-desk
# libpq reads certificates from HOME, and may not look into that of root.
export HOME=/srv/entry-desk
secrets=/etc/entry-desk/secrets
for file in "$secrets"/*; do
    [ ! -f "$file" ] || export "$(basename "$file")=$(cat "$file")"
done
if [ "$1" = --owner ]; then
    shift
    DATABASE_URL=$(cat "$secrets/owner/DATABASE_URL")
fi
exec setpriv --reuid=entry-desk --regid=entry-desk --init-groups .venv/bin/python manage.py "$@"
