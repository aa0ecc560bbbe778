#!/bin/sh
# Makes the secrets of a deployment, each in a file that is called as its variable:
#   secrets.sh FOLDER DATABASE_HOST[:PORT] CACHE_HOST[:PORT] CA_FILE
#   secrets.sh FOLDER    for SQLite in /srv/entry-desk/var, and a cache in the site's one process
# The files of FOLDER are for site and workers, owner/ for `migrate` and `restore`, database/ and cache/ for these servers.
# CA_FILE is where site and workers find ca.pem of certificates.sh. Does nothing where FOLDER exists: its keys would be lost.
set -eu
umask 077
[ ! -e "$1" ] || { echo "$1 exists: its keys would be lost." >&2; exit 1; }
target=$(basename "$1")
mkdir -p "$1.new"  # renamed at the end, so that what was cut off is made anew
cd "$1.new"
rm -rf ./*
mkdir owner database cache
chmod 711 .  # a server reads its own folder; nobody lists the others

openssl rand -hex 32 >SECRET_KEY
openssl rand -base64 32 | tr '+/' '-_' >FIELD_ENCRYPTION_KEYS
if [ $# -gt 1 ]; then
    tls="sslmode=verify-full&sslrootcert=$4"
    for name in superuser_password owner_password password; do openssl rand -hex 24 >"database/$name"; done
    cache_password=$(openssl rand -hex 24)
    echo "postgres://desk:$(cat database/password)@$2/desk?$tls" >DATABASE_URL
    echo "postgres://desk_owner:$(cat database/owner_password)@$2/desk?$tls" >owner/DATABASE_URL
    echo "rediss://desk:$cache_password@$3/0?ssl_ca_certs=$4" >CACHE_URL
    # Values and their times, no commands of operators; django-redis counts by a script.
    cat >cache/users.acl <<END
user default off
user desk on >$cache_password ~* -@all +@read +@write +@transaction +@connection -@dangerous -@scripting +eval
END
else
    echo "sqlite:////srv/entry-desk/var/db.sqlite3" | tee DATABASE_URL >owner/DATABASE_URL
    echo "locmemcache://" >CACHE_URL
fi
cd ..
mv "$target.new" "$target"
