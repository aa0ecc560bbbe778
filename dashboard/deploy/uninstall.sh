#!/bin/sh
# Removes the site from this machine: units, proxy, server settings and code. As root:
#   dashboard/deploy/uninstall.sh [--with-data]
# Keeps the database, its backups, secrets and answers, so that install.sh can restore the site; --with-data removes these and
# the system accounts as well. Debian's packages stay. Run it again if it was interrupted.
. "$(dirname "$0")/common.sh"

forget() { # FILE...
    for file; do
        [ ! -e "$file" ] && [ ! -L "$file" ] || {
            rm -rf "$file"
            did "removed $file"
        }
    done
}

drop_database() {
    ! grep -qsx WAY=full $answers || runuser -u postgres -- psql -q -d postgres <<'END'
DROP DATABASE IF EXISTS "entry-desk" WITH (FORCE);
DROP ROLE IF EXISTS "entry-desk", "entry-desk-owner";
END
}

need_root_on_debian
case ${1:-} in
"" | --with-data) ;;
*) stop "Unknown option $1. The only option is --with-data." ;;
esac
stop_all || true
for unit in entry-desk.socket entry-desk.service entry-desk-backup.timer; do
    systemctl disable -q $unit 2>/dev/null || true
done
rm -f /etc/systemd/system/*.wants/entry-desk-worker@*.service
forget /etc/systemd/system/entry-desk.socket /etc/systemd/system/entry-desk*.service /etc/systemd/system/entry-desk-backup.timer
control daemon-reload
forget /etc/nginx/conf.d/entry-desk.conf
control reload-or-restart nginx
[ "${1:-}" = "" ] || drop_database
forget /etc/postgresql/*/*/conf.d/entry-desk.conf
control restart 'postgresql@*'
[ ! -e /etc/redis/redis.conf.debian ] || {
    mv /etc/redis/redis.conf.debian /etc/redis/redis.conf
    did "restored Debian's redis.conf"
    control restart redis-server
}
forget $etc/stale-* $etc/pg_hba.conf $home/current $step $former $releases $packages
if [ "${1:-}" = --with-data ]; then
    forget $home $etc /var/log/nginx/entry-desk*.log*
    for account in $site $owner; do
        ! getent passwd $account >/dev/null || userdel $account
    done
    echo "Done. The site and its data were removed."
else
    echo "Done. The database, its backups in $backups, secrets and settings were kept. Use --with-data to remove them."
fi
