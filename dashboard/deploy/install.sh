#!/bin/sh
# Makes a site of this checkout on a bare Debian 12 or 13. As root, with the checkout in /srv/entry-desk:
#   dashboard/deploy/install.sh [ANSWERS]
# or, from the folder of a new release beside it, with --upgrade, and back again with --back (docs/upgrade.md).
# Asks four questions, or takes a file of answers (docs/install.md), and keeps them in /etc/entry-desk/answers. Prints a line
# with + for each thing that it changes. Run again it goes on where it stopped, and changes nothing that is there: a file that
# somebody has edited stays. Ends with another status than 0, and the reason in its last line, where it cannot go on.
set -eu
umask 022
home=/srv/entry-desk
here=$home/dashboard/deploy
etc=/etc/entry-desk
answers=$etc/answers
own=entry-desk

stop() {
    echo "install.sh: $*" >&2
    exit 1
}

did() {
    echo "+ $*"
}

# --- The answers ----------------------------------------------------------------------------------
answer() { # NAME: its value in the file of answers, or nothing
    sed -n "s/^$1=//p" "$answers" | tail -n 1
}

ask() { # NAME WORDS
    printf '%s ' "$2" >&2
    read -r typed || stop "No answer."
    echo "$1=$typed"
}

questions() {
    ask HOST "Which host name will people use, for example desk.example.com?"
    ask API_BASE_URL "Where is the External Business API?"
    ask WAY "small (SQLite, one process) or full (PostgreSQL, Redis)?"
    ask ADMINISTRATOR "What is the first administrator's email address?"
}

choose() { # NAME VALUE PATTERN WORDS
    echo "$2" | grep -Eqx "$3" || stop "$1 must be $4, and is \"$2\" in $answers."
}

read_answers() {
    install -d -m 755 $etc
    if [ $# -gt 0 ]; then
        write $answers 644 root <"$1"
    elif [ ! -f $answers ]; then
        questions >$answers.new
        mv $answers.new $answers
    fi
    host=$(answer HOST) api=$(answer API_BASE_URL) way=$(answer WAY)
    administrator=$(answer ADMINISTRATOR) networks=$(answer NETWORKS)
    certificate=$(answer CERTIFICATE) key=$(answer KEY)
    choose HOST "$host" '[a-z0-9.-]+' "a name in lower case"
    choose API_BASE_URL "$api" 'https?://[^ ]+' "an address that begins with https://"
    choose WAY "$way" 'small|full' "small or full"
    choose ADMINISTRATOR "$administrator" '[^ @]+@[^ @]+' "a mail address"
}

# --- Files and packages ---------------------------------------------------------------------------
write() { # FILE MODE OWNER: standard input becomes the file, unless there is one
    made=$(mktemp)
    cat >"$made"
    if [ ! -e "$1" ]; then
        install -D -m "$2" -o "$3" "$made" "$1"
        did "wrote $1"
    elif ! cmp -s "$made" "$1"; then
        echo "  kept $1, which differs from what this script writes"
    fi
    rm "$made"
}

renew() { # SOURCE FILE MODE OWNER: the file becomes a copy of the source
    cmp -s "$1" "$2" || {
        install -D -m "$3" -o "$4" "$1" "$2"
        did "wrote $2"
        stale=yes
    }
}

folder() { # FOLDER MODE OWNER
    [ "$(stat -c '%a %U' "$1" 2>/dev/null)" = "$2 $3" ] || {
        install -d -m "$2" -o "$3" "$1"
        did "made the folder $1"
    }
}

packages() {
    wanted="ca-certificates openssl python3 python3-venv nginx"
    [ "$way" = small ] || wanted="$wanted postgresql redis-server"
    for package in $wanted; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing="${missing:-} $package"
    done
    if [ -n "${missing:-}" ]; then
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
        did "installed$missing"
    fi
}

account() {
    getent passwd $own >/dev/null || {
        useradd --system --user-group --home-dir $home --no-create-home --shell /usr/sbin/nologin $own
        did "made the user $own"
    }
    folder $home/var 700 $own
    chmod -R go+rX $home/manage.py $home/dashboard $home/templates $home/static
}

python_packages() {
    cmp -s $home/requirements-all.txt $home/.venv/installed.txt || {
        python3 -m venv $home/.venv
        $home/.venv/bin/python -m pip install -q --require-hashes -r $home/requirements-all.txt
        cp $home/requirements-all.txt $home/.venv/installed.txt
        did "installed the packages of requirements-all.txt in $home/.venv"
    }
}

# --- Certificates, secrets, servers ---------------------------------------------------------------
signed() { # NAME: a certificate of the own authority, good for a month at least
    openssl x509 -checkend 2592000 -noout -in "$etc/tls/$1.pem" >/dev/null 2>&1 || {
        sh $here/certificates.sh $etc/tls "$1" 2>/dev/null
        did "signed $etc/tls/$1.pem"
        stale=yes
    }
}

certificate_for() { # NAME OWNER: where a server that reads it as OWNER finds it with its key
    signed "$1"
    folder "$etc/$2" 700 "$2"
    renew "$etc/tls/$1.pem" "$etc/$2/$1.pem" 644 "$2"
    renew "$etc/tls/$1.key" "$etc/$2/$1.key" 600 "$2"
}

secrets() {
    set -- $etc/secrets
    [ "$way" = small ] || set -- $etc/secrets "localhost:$port" localhost:6379 $etc/tls/ca.pem
    [ -d $etc/secrets ] || {
        sh $here/secrets.sh "$@"
        did "made the secrets in $etc/secrets"
    }
    [ "$way" = small ] || {
        chown -R postgres $etc/secrets/database
        chown -R redis $etc/secrets/cache
    }
}

cluster() { # sets version, cluster and port of the one that Debian makes with the package
    pg_lsclusters -h | awk 'END { exit NR != 1 }' || stop "There must be one PostgreSQL cluster: see pg_lsclusters."
    set -- $(pg_lsclusters -h)
    version=$1 cluster=$2 port=$3
}

database() {
    settings=/etc/postgresql/$version/$cluster/conf.d/entry-desk.conf
    [ -f "$settings" ] || stale=yes
    certificate_for localhost postgres
    write $etc/postgres/pg_hba.conf 644 postgres <$here/pg_hba.conf
    printf "ssl = on\nssl_cert_file = '%s'\nssl_key_file = '%s'\nhba_file = '%s'\n" \
        $etc/postgres/localhost.pem $etc/postgres/localhost.key $etc/postgres/pg_hba.conf |
        write "$settings" 644 postgres
    [ -z "$stale" ] || pg_ctlcluster "$version" "$cluster" stop >/dev/null 2>&1 || true
    pg_ctlcluster "$version" "$cluster" status >/dev/null || pg_ctlcluster "$version" "$cluster" start
    roles
}

roles() {
    [ -z "$(runuser -u postgres -- psql -p "$port" -tAc "SELECT 1 FROM pg_database WHERE datname = 'desk'")" ] || return 0
    runuser -u postgres -- env PASSWORDS=$etc/secrets/database psql -q -p "$port" -f $here/roles.sql
    did "made the database desk and its two accounts"
}

cache() {
    certificate_for localhost redis
    renew $etc/tls/ca.pem $etc/redis/ca.pem 644 redis
    grep -qs '^aclfile' /etc/redis/redis.conf || {
        stale=yes
        [ ! -f /etc/redis/redis.conf ] || mv /etc/redis/redis.conf /etc/redis/redis.conf.debian
        sed "s#/run/desk/cache\\.#$etc/redis/localhost.#; s#/run/desk/ca.pem#$etc/redis/ca.pem#
             s#/run/desk/users.acl#$etc/secrets/cache/users.acl#" $here/redis.conf | write /etc/redis/redis.conf 644 root
    }
    [ -z "$stale" ] || restart redis-server
}

# --- The site -------------------------------------------------------------------------------------
site_settings() {
    {
        echo "# What is no secret. docs/configuration.md names all settings. After a change: systemctl restart entry-desk"
        echo "API_BASE_URL=$api"
        echo "ALLOWED_HOSTS=$host"
        echo "SITE_URL=https://$host"
        echo "DEFAULT_FROM_EMAIL=entry-desk@$host"
        echo "BEHIND_PROXY=on"
    } | write $home/.env 644 root
}

tables() {
    sh $here/manage.sh --owner migrate --check >/dev/null 2>&1 || {
        sh $here/manage.sh --owner migrate -v 0
        did "made the tables"
    }
    sh $here/manage.sh collectstatic --noinput -v 0
    sh $here/manage.sh check --deploy --database default
    sh $here/manage.sh tidy --daily
}

first_administrator() {
    known='from dashboard.people.models import User; raise SystemExit(not User.objects.filter(is_superuser=True).exists())'
    ! sh $here/manage.sh shell -v 0 -c "$known" || return 0
    (umask 077 && openssl rand -base64 18 >$etc/password)
    DJANGO_SUPERUSER_USERNAME=admin DJANGO_SUPERUSER_EMAIL=$administrator DJANGO_SUPERUSER_PASSWORD=$(cat $etc/password) \
        sh $here/manage.sh createsuperuser --noinput -v 0
    did "made the administrator \"admin\": the password is in $etc/password; delete that file after the first sign-in"
}

units() {
    for unit in entry-desk.socket entry-desk.service entry-desk-worker@.service; do
        case $unit:$networks in
        *.service:) sed '/^# Replace 192/d; /^# reached. Where/d; /^IPAddress/d' $here/$unit ;;
        *) sed "s#192.0.2.0/24#$networks#" $here/$unit ;;
        esac | write /etc/systemd/system/$unit 644 root
    done
    for unit in entry-desk.socket entry-desk.service entry-desk-worker@1.service; do
        systemctl is-enabled -q $unit 2>/dev/null || {
            systemctl enable -q $unit
            did "enabled $unit"
        }
    done
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
    start entry-desk.socket entry-desk.service entry-desk-worker@1.service
}

# --- The proxy ------------------------------------------------------------------------------------
proxy() {
    if [ -z "$certificate" ]; then
        signed "$host"
        certificate=$etc/tls/$host.pem key=$etc/tls/$host.key
    fi
    nginx -v 2>&1 | grep -Eq 'nginx/1\.(1|2[0-4])' && http2='#http2' || http2='http2'
    [ ! -e /etc/nginx/sites-enabled/default ] || {
        rm /etc/nginx/sites-enabled/default  # it would be the default server, too
        did "removed /etc/nginx/sites-enabled/default"
    }
    [ -f /etc/nginx/conf.d/entry-desk.conf ] || stale=yes
    sed "s#/etc/ssl/certs/desk.example.com.pem#$certificate#; s#/etc/ssl/private/desk.example.com.key#$key#
         s/desk\\.example\\.com/$host/; s/#http2/$http2/" $here/nginx.conf | write /etc/nginx/conf.d/entry-desk.conf 644 root
    nginx -t -q
    [ -z "$stale" ] || restart nginx
}

# --- To another release ---------------------------------------------------------------------------
stop_all() {
    [ ! -d /run/systemd/system ] ||
        systemctl stop entry-desk.socket entry-desk.service 'entry-desk-worker@*' 2>/dev/null || true
}

move_code() { # FROM TO: all that is of a release, and not of this site
    rm -rf "$1/__pycache__"
    for part in $(ls -A "$1"); do
        case $part in
        var | .venv | .env) ;;
        *) mv "$1/$part" "$2/$part" ;;
        esac
    done
}

exchange() { # FOLDER FORMER: the code of FOLDER comes into place, what was there goes to FORMER
    rm -rf "$2"
    install -d "$2"
    move_code $home "$2"
    move_code "$1" $home
    did "put release $(release) in place; the former one is in $2"
}

release() {
    sed -n 's/^__version__ = "\(.*\)"$/\1/p' $home/dashboard/__init__.py
}

upgrade() { # FOLDER of the new release; then its own install.sh goes on
    [ -f $answers ] || stop "There is no site yet: run install.sh without --upgrade."
    [ "$1" != $home ] || stop "Run the install.sh of the new release, whose folder is not $home."
    diff -qr -x __pycache__ -x var -x .venv -x .env -x .git "$1" $home >/dev/null || {
        stop_all
        copy=$home/var/before-$(release)-$(date -u +%Y%m%d-%H%M%S).backup
        sh $here/manage.sh backup "$copy"
        did "copied the database to $copy"
        rm -rf $home.new
        cp -R "$1" $home.new
        exchange $home.new $home.before
        rm -rf $home.new
    }
    exec sh $here/install.sh
}

back() { # to the code, packages and database of before the last upgrade
    [ -d $home.before/dashboard ] || stop "There is no former release in $home.before."
    copy=$(ls -t $home/var/before-*.backup | head -n 1)
    stop_all
    exchange $home.before $home.after
    account
    python_packages
    sh $here/manage.sh --owner restore "$copy" --replace
    did "put the database of $copy back"
    exec sh $here/install.sh
}

# --- systemd, which does not run in a container ---------------------------------------------------
restart() {
    [ ! -d /run/systemd/system ] || systemctl restart "$@"
}

start() {
    [ ! -d /run/systemd/system ] || systemctl start "$@"
}

[ "$(id -u)" = 0 ] || stop "Run this as root."
[ -f $here/install.sh ] || stop "The checkout must be in $home."
grep -Eq '^VERSION_ID="1[23]"' /etc/os-release || stop "This is for Debian 12 and 13."
cd $home
case ${1:-} in
--upgrade) upgrade "$(cd "$(dirname "$0")/../.." && pwd)" ;;
--back) back ;;
esac
read_answers "$@"
packages
account
python_packages
signed localhost
[ "$way" = small ] || cluster
secrets
if [ "$way" = full ]; then
    stale=
    database
    stale=
    cache
fi
site_settings
tables
first_administrator
units
stale=
proxy
echo "Done: https://$host. What is left to you is in docs/install.md, \"Afterwards\"."
