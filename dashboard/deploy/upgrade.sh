#!/bin/sh
# Upgrades a site installed by install.sh to the release of this checkout, or rolls it back. As root:
#   dashboard/deploy/upgrade.sh            from the checkout of the new release
#   dashboard/deploy/upgrade.sh --back     to the previous release, packages and database
# Everything is prepared while the site runs. Then the site stops and its database is backed up. If the upgrade is interrupted, run
# this or install.sh again. On an error it exits with a status other than 0 and the reason.
. "$(dirname "$0")/common.sh"

begin() { # upgrade|back FROM TO COPY: from now on any run finishes it
    echo "$*" >$step.new
    mv $step.new $step
}

upgrade() {
    copy_release
    complete_release "$release"
    [ "$(current)" != "$(basename "$release")" ] || start
    manage "$release" check --deploy
    stop_all
    copy=$backups/before-$(current)-$(date -u +%Y%m%d-%H%M%S).backup
    manage $home/current --owner backup "$copy"
    did "backed up the database to $copy"
    begin upgrade "$(current)" "$(basename "$release")" "$copy"
    finish
}

back() {
    if [ -e $step ]; then # an interrupted upgrade or rollback
        read -r way from to copy <$step
        [ "$way" = back ] || begin back "$to" "$from" "$copy"
    else
        [ -e $former ] || stop "There is no previous release to roll back to. Nothing was changed."
        read -r to copy <$former
        [ -e "$copy" ] && [ -d "$releases/$to" ] ||
            stop "The previous release $to or its backup $copy no longer exists. See docs/operating.md, \"Backup\"."
        begin back "$(current)" "$to" "$copy"
    fi
    finish
}

finish() {
    read -r way from to copy <$step
    stop_all
    if [ "$way" = back ]; then # the database first: old code never meets new tables
        manage "$releases/$to" --owner restore "$copy" --replace
        did "restored the database from $copy"
        switch "$releases/$to"
        rm -f $former
    else
        switch "$releases/$to"
        manage "$releases/$to" --owner migrate -v 0 ||
            stop "The database could not be migrated for the reason above. Correct it and run this again, or run it with --back."
        did "migrated the database"
        echo "$from $copy" >$former.new
        mv $former.new $former
    fi
    rm $step
    for folder in "$releases"/*; do
        case $(basename "$folder") in
        "$from" | "$to") ;;
        *) rm -rf "$folder" ;;
        esac
    done
    for folder in "$packages"/*; do
        readlink "$releases"/*/.venv | grep -qx "$folder" || rm -rf "$folder"
    done
    start
}

start() { # install.sh of the release updates its files and starts the site
    exec sh $home/current/dashboard/deploy/install.sh
}

need_root_on_debian
[ -e $home/current ] || stop "There is no site yet. Run install.sh."
case ${1:-} in
--back) back ;;
--finish) finish ;;
"")
    [ ! -e $step ] || finish # which ends this run
    upgrade
    ;;
*) stop "Unknown option $1. The only option is --back." ;;
esac
