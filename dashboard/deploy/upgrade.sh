#!/bin/sh
# Brings a site of install.sh to the release in whose checkout this lies, and back again. As root:
#   dashboard/deploy/upgrade.sh            from the checkout of the new release
#   dashboard/deploy/upgrade.sh --back     to the release, the packages and the database of before
# Everything is made ready while the site runs. Then it stops, its database is copied, and each further step can be repeated: run
# this again, or install.sh, where it was cut off. Ends with another status than 0, and the reason, where it cannot go on.
. "$(dirname "$0")/common.sh"

begin() { # upgrade|back FROM TO COPY: from here on any run finishes it
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
    did "copied the database to $copy"
    begin upgrade "$(current)" "$(basename "$release")" "$copy"
    finish
}

back() {
    if [ -e $step ]; then # an upgrade that stopped halfway, or the way back itself
        read -r way from to copy <$step
        [ "$way" = back ] || begin back "$to" "$from" "$copy"
    else
        [ -e $former ] || stop "There is no earlier release to go back to. Nothing was changed."
        read -r to copy <$former
        [ -e "$copy" ] && [ -d "$releases/$to" ] ||
            stop "The earlier release $to, or its database $copy, is no longer there: see docs/operating.md, \"Backup\"."
        begin back "$(current)" "$to" "$copy"
    fi
    finish
}

finish() {
    read -r way from to copy <$step
    stop_all
    if [ "$way" = back ]; then # the database first: old code never meets new tables
        manage "$releases/$to" --owner restore "$copy" --replace
        did "put the database of $copy back"
        switch "$releases/$to"
        rm -f $former
    else
        switch "$releases/$to"
        manage "$releases/$to" --owner migrate -v 0 ||
            stop "The tables could not be changed, for the reason above. Correct that and run this again, or run it with --back."
        did "changed the tables"
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

start() { # what install.sh of the release does: files that follow it, the start
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
*) stop "There is no option $1. Run this without one, or with --back." ;;
esac
