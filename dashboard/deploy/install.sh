#!/bin/sh
# Installs this checkout as a site on a bare Debian 12 or 13. As root:
#   dashboard/deploy/install.sh [ANSWERS]
# Asks questions, or reads a file of answers (docs/install.md), and stores the answers in /etc/entry-desk/answers. Prints a line with +
# for each change. Run again, it continues where it stopped, finishes an interrupted upgrade, and changes only what differs: it
# updates a file that it wrote itself, and keeps one that was edited. On an error it exits with a status other than 0 and the
# reason in its last line. upgrade.sh changes the release.
. "$(dirname "$0")/common.sh"
written=$etc/written # checksums of all files written by `write`

# --- The answers ----------------------------------------------------------------------------------
find_answers() { # [FILE]: sets `source`, and `asking` if no file has all answers
    asking=
    install -d -m 755 $etc
    if [ $# -gt 0 ]; then
        source=$1
        [ -r "$source" ] || stop "Cannot read the file of answers $source. Correct its name, and run this again."
    elif [ -f $answers ]; then
        source=$answers
    else
        asking=yes
        source=$answers.typed # of a run that stopped early: proposed again
        [ -f "$source" ] || : >"$source"
    fi
    given=$(mktemp) # the answers so far, readable by root only; deleted at the end
}

answer() { # NAME PATTERN DEFAULT [QUESTION]: sets `value`; asks if it is missing or invalid
    value=$(sed -n "s/^$1=//p" "$source" | tail -n 1)
    value=${value:-$3}
    question=${4:+$asking}
    wrong=
    while [ -n "$question" ] || ! printf '%s\n' "$value" | grep -Eqx "$2"; do
        [ -n "$question" ] || {
            wrong=$value value=$3
            echo "  $1 cannot be \"$wrong\"." >&2
        }
        printf '%s%s ' "${4:-$1?}" "${value:+ [$value]}" >&2
        read -r typed || stop "$1 cannot be \"$wrong\" (in $source): correct it, and run this again."
        value=${typed:-$value}
        question=
    done
    echo "$1=$value" >>"$given"
}

machine_zone() { # also on Debian 13, which has no /etc/timezone
    readlink /etc/localtime | sed 's#.*/zoneinfo/##' | grep . || echo UTC
}

read_answers() {
    answer HOST '[a-z0-9.-]+' "" "Which host name will people use, for example desk.example.com?"
    host=$value
    answer API_BASE_URL 'https?://[^ ]+' "" "Where is the External Business API?"
    api=$value
    answer SERVICE_NAME '[^"]*' "the CRM" "What do people call it within a sentence?"
    service=$value
    answer WAY 'small|full' full "small (SQLite, one process) or full (PostgreSQL, Redis)?"
    way=$value
    answer ADMINISTRATOR '[^ @]+@[^ @]+' "" "What is the first administrator's email address?"
    administrator=$value
    answer TIME_ZONE '[A-Za-z0-9_+/-]+' "$(machine_zone)" "Which time zone is the office in?"
    zone=$value
    answer EMAIL_URL '(smtps?(\+tls|\+ssl)?://[^ ]+)?' "" \
        "Which mail server sends the email, for example smtp+tls://user:password@mail.example.com:587 (empty: none yet)?"
    mail=$value
    answer SECURITY_CONTACT '([^ @]+@[^ @]+|https://[^ ]+)?' "" \
        "Where can people report a vulnerability: an email or https address (empty: not published)?"
    contact=$value
    answer NETWORKS '[0-9a-f.:/ ]*' ""
    networks=$value
    answer CERTIFICATE '(/[^ ]+)?' ""
    certificate=$value
    answer KEY '(/[^ ]+)?' ""
    key=$value
}

keep_answers() {
    rm -f $answers.typed
    cmp -s "$given" $answers || {
        install -m 600 "$given" $answers.new
        mv $answers.new $answers
        did "wrote $answers"
    }
}

refuse() { # WORDS: stops before anything but Debian's packages is changed; the next run proposes the same answers
    [ -z "$asking" ] || install -m 600 "$given" $answers.typed
    stop "$*"
}

# --- Checks before anything is changed -------------------------------------------------------
is_new() { # whether the site does not exist yet, or the answers differ
    [ ! -e $home/current ] || ! cmp -s "$given" $answers
}

is_taken() { # PORT
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -Eq "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F:]+ 0A"
}

check_machine() {
    [ ! -e $home/current ] || grep -qx "WAY=$way" $answers || refuse "WAY cannot be changed, because the data would not be moved. Correct it, and run this again."
    [ -e /usr/sbin/nginx ] || for port in 80 443; do
        ! is_taken $port || refuse "Another program listens on port $port. Stop it, and run this again."
    done
    [ -e /etc/systemd/system/entry-desk.socket ] || ! is_taken 8000 ||
        refuse "Another program listens on port 8000. Stop it, and run this again."
    room=$(df -Pk /srv | awk 'END { print int($4 / 1024) }')
    [ "$room" -ge 1500 ] || refuse "/srv has $room MB free, but a site needs 1500 MB. Free some space, and run this again."
    getent hosts "$host" >/dev/null || refuse "HOST=$host is not in the DNS. Add it, and run this again."
}

check_answers() { # with the packages
    [ -e "/usr/share/zoneinfo/$zone" ] ||
        refuse "TIME_ZONE=$zone is not a time zone. Correct it (for example Europe/London), and run this again."
    python3 - "$api" <<'END' || refuse "Nothing answers at API_BASE_URL=$api. Correct it, or let this machine reach it, and run this again."
import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(sys.argv[1], timeout=10)
except urllib.error.HTTPError:
    pass  # any answer will do, also a rejection for lack of keys
except (OSError, ValueError) as error:
    sys.exit(str(error))
END
    [ -n "$certificate" ] || return 0
    openssl x509 -in "$certificate" -noout && openssl pkey -in "$key" -noout ||
        refuse "CERTIFICATE=$certificate or KEY=$key cannot be read. Correct it, and run this again."
    [ "$(openssl x509 -in "$certificate" -noout -pubkey)" = "$(openssl pkey -in "$key" -pubout)" ] ||
        refuse "CERTIFICATE=$certificate and KEY=$key do not match. Correct one, and run this again."
    openssl x509 -in "$certificate" -noout -checkend 0 >/dev/null ||
        refuse "CERTIFICATE=$certificate has expired. Replace it, and run this again."
}

# --- Files and packages ---------------------------------------------------------------------------
write() { # FILE MODE OWNER [SERVICE]: writes standard input to the file, unless it was edited
    made=$(mktemp)
    cat >"$made"
    known=$(sha256sum "$1" 2>/dev/null | cut -d ' ' -f 1)
    sum=$(sha256sum "$made" | cut -d ' ' -f 1)
    if [ -n "$known" ] && [ "$known" != "$sum" ] && ! grep -Fqsx "$known $1" $written; then
        echo "  kept $1, which was edited; that of this release differs (>):"
        [ "$2" = 600 ] || diff "$1" "$made" | sed -n 's/^[<>]/    &/p'
    else
        grep -Fqsx "$sum $1" $written || (umask 077 && echo "$sum $1" >>$written)
        if [ "$known" != "$sum" ]; then
            [ -z "${4:-}" ] || : >"$etc/stale-$4"
            install -D -m "$2" -o "$3" "$made" "$1.new"
            mv "$1.new" "$1"
            did "wrote $1"
        fi
    fi
    rm "$made"
}

folder() { # FOLDER MODE OWNER
    [ "$(stat -c '%a %U' "$1" 2>/dev/null)" = "$2 $3" ] || {
        install -d -m "$2" -o "$3" "$1"
        did "created the folder $1"
    }
}

debian_packages() {
    wanted="ca-certificates openssl tzdata python3 python3-venv nginx"
    [ "$way" = small ] || wanted="$wanted postgresql redis-server"
    missing=
    for package in $wanted; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing="$missing $package"
    done
    [ -z "$missing" ] || {
        dpkg --configure -a
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
        did "installed$missing"
    }
}

account() { # NAME
    getent passwd "$1" >/dev/null || {
        useradd --system --user-group --home-dir $home --no-create-home --shell /usr/sbin/nologin "$1"
        did "created the user $1"
    }
}

accounts() {
    account $site
    folder $home/var 700 $site
    if [ "$way" = full ]; then
        account $owner
        id -nG $site | grep -qw redis || {
            usermod -aG redis $site
            did "gave the user $site access to Redis"
        }
        folder $backups 700 $owner
    else
        folder $backups 700 $site
    fi
}

secret() { # NAME COMMAND: created once
    [ -s "$secrets/$1" ] || {
        (umask 077 && sh -c "$2" >"$secrets/$1.new")
        mv "$secrets/$1.new" "$secrets/$1"
        did "created the secret $secrets/$1"
    }
}

site_settings() {
    folder $secrets 700 root
    rm -f $secrets/*.new
    secret SECRET_KEY "openssl rand -hex 32"
    secret FIELD_ENCRYPTION_KEYS "openssl rand -base64 32 | tr '+/' '-_'"
    [ -z "$mail" ] || echo "$mail" | write $secrets/EMAIL_URL 600 root site
    {
        echo "# Settings that are not secret. docs/configuration.md lists all settings. After a change: systemctl restart entry-desk"
        echo "API_BASE_URL=$api"
        echo "SERVICE_NAME=$service"
        echo "ALLOWED_HOSTS=$host"
        echo "SITE_URL=https://$host"
        echo "BEHIND_PROXY=on"
        echo "TIME_ZONE=$zone"
        echo "DEFAULT_FROM_EMAIL=entry-desk@$host"
        [ -z "$contact" ] || echo "SECURITY_CONTACT=$contact"
        if [ "$way" = full ]; then
            echo "DATABASE_URL=postgres:////run/postgresql/entry-desk"
            echo "CACHE_URL=redis:///run/redis/redis-server.sock"
        else
            echo "DATABASE_URL=sqlite:///$home/var/db.sqlite3"
        fi
    } | write $home/.env 644 root site
}

# --- Servers --------------------------------------------------------------------------------------
database() {
    [ "$way" = full ] || return 0
    pg_lsclusters -h | awk 'END { exit NR != 1 }' ||
        stop "A site needs exactly one PostgreSQL cluster (see pg_lsclusters). Drop or create one, and run this again."
    set -- $(pg_lsclusters -h) # version, name, port
    write $etc/pg_hba.conf 644 root postgresql <$release/dashboard/deploy/pg_hba.conf
    printf "listen_addresses = ''\nhba_file = '%s'\n" $etc/pg_hba.conf |
        write "/etc/postgresql/$1/$2/conf.d/entry-desk.conf" 644 root postgresql
    [ ! -e $etc/stale-postgresql ] || pg_ctlcluster "$1" "$2" stop || true
    pg_ctlcluster "$1" "$2" status >/dev/null || pg_ctlcluster "$1" "$2" start
    rm -f $etc/stale-postgresql
    runuser -u postgres -- psql -q -p "$3" -d postgres -f - <$release/dashboard/deploy/roles.sql
}

cache() {
    [ "$way" = full ] || return 0
    [ -e /etc/redis/redis.conf.debian ] || mv /etc/redis/redis.conf /etc/redis/redis.conf.debian
    write /etc/redis/redis.conf 644 root redis-server <$release/dashboard/deploy/redis.conf
    restart_stale redis-server redis-server
}

tables() {
    manage "$release" --owner migrate --check >/dev/null 2>&1 || {
        manage "$release" --owner migrate -v 0
        did "migrated the database"
    }
    manage "$release" check --deploy --database default
    manage "$release" tidy --daily
}

first_backup() { # proves that backups work; System status then expects one each night
    ls $backups/entry-desk-*.backup >/dev/null 2>&1 || {
        manage "$release" --owner backup --keep 14 $backups >/dev/null
        did "made the first backup of the database in $backups"
    }
}

first_administrator() {
    known='from dashboard.people.models import User; print(User.objects.filter(is_superuser=True).exists())'
    [ "$(manage "$release" shell -v 0 -c "$known")" = False ] || return 0
    (umask 077 && openssl rand -base64 18 >$etc/password)
    DJANGO_SUPERUSER_USERNAME=admin DJANGO_SUPERUSER_EMAIL=$administrator DJANGO_SUPERUSER_PASSWORD=$(cat $etc/password) \
        manage "$release" createsuperuser --noinput -v 0
    did "created the administrator \"admin\" with the password in $etc/password. Delete that file after the first sign-in"
}

units() {
    more=$(mktemp)
    for file in $secrets/*; do
        name=$(basename "$file")
        case $name in
        SECRET_KEY | FIELD_ENCRYPTION_KEYS) ;;
        *) printf 'LoadCredential=%s:%s\nEnvironment=%s_FILE=%%d/%s\n' "$name" "$file" "$name" "$name" >>"$more" ;;
        esac
    done
    for unit in entry-desk.socket entry-desk.service entry-desk-worker@.service entry-desk-backup.service entry-desk-backup.timer; do
        case $unit:$networks in
        *.service:) sed '/^# Replace 192/d; /^# reached. Where/d; /^IPAddress/d' "$release/dashboard/deploy/$unit" ;;
        *) sed "s#192.0.2.0/24#$networks#" "$release/dashboard/deploy/$unit" ;;
        esac | sed "/^Environment=SECRET_KEY_FILE/r $more" | write /etc/systemd/system/$unit 644 root site
    done
    rm "$more"
    for unit in entry-desk.socket entry-desk.service entry-desk-worker@1.service entry-desk-backup.timer; do
        systemctl is-enabled -q $unit 2>/dev/null || {
            systemctl enable -q $unit
            did "enabled $unit"
        }
    done
}

proxy() {
    if [ -z "$certificate" ]; then
        certificate=$etc/$host.pem key=$etc/$host.key
        openssl x509 -in "$certificate" -noout -checkend 2592000 >/dev/null 2>&1 || { # 30 days
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 3650 -subj "/CN=$host" \
                -addext "subjectAltName=DNS:$host" -keyout "$key" -out "$certificate.new" 2>/dev/null
            chmod 600 "$key"
            : >$etc/stale-nginx
            mv "$certificate.new" "$certificate"
            did "created the self-signed certificate $certificate, which browsers do not trust"
        }
    fi
    nginx -v 2>&1 | grep -Eq 'nginx/1\.(1|2[0-4])' && http2='#http2' || http2='http2'
    [ ! -e /etc/nginx/sites-enabled/default ] || {
        : >$etc/stale-nginx
        rm /etc/nginx/sites-enabled/default # it would be a second default server
        did "removed /etc/nginx/sites-enabled/default"
    }
    sed "s#/etc/ssl/certs/desk.example.com.pem#$certificate#; s#/etc/ssl/private/desk.example.com.key#$key#
         s/desk\\.example\\.com/$host/; s/#http2/$http2/" "$release/dashboard/deploy/nginx.conf" |
        write /etc/nginx/conf.d/entry-desk.conf 644 root nginx
    nginx -t -q
    restart_stale nginx nginx
}

restart_stale() { # SERVICE UNIT...: if a file of the service was written since its start
    [ ! -e "$etc/stale-$1" ] || {
        stale=$etc/stale-$1
        shift
        control restart "$@"
        rm "$stale"
    }
}

start_all() {
    control daemon-reload
    restart_stale site entry-desk.socket entry-desk.service
    workers=$(cd /etc/systemd/system/multi-user.target.wants && echo entry-desk-worker@*.service)
    control start entry-desk.socket entry-desk.service $workers entry-desk-backup.timer
}

need_root_on_debian
if [ -e $step ]; then
    echo "Finishing an interrupted upgrade or rollback."
    exec sh $home/current/dashboard/deploy/upgrade.sh --finish
fi
[ ! -e $home/current ] || [ "$(current)" = "$(name_of "$checkout")" ] ||
    stop "The site runs another release, $(current). To upgrade it to this one, run $checkout/dashboard/deploy/upgrade.sh."
find_answers "$@"
read_answers
! is_new || check_machine
debian_packages
! is_new || check_answers
keep_answers
accounts
site_settings
copy_release
complete_release "$release"
database
cache
tables
first_administrator
first_backup
switch "$release"
units
proxy
start_all
[ -e $secrets/EMAIL_URL ] || no_mail=" There is no mail server yet, so no invitations or password links are sent (\"Mail\" there)."
echo "Done: https://$host. For the next steps see docs/install.md, \"Afterwards\".${no_mail:-}"
