#!/bin/sh
# An authority of one's own, and the certificates of the machines that it signs, good for 397 days:
#   certificates.sh FOLDER HOST...
# HOST is the name by which others call the machine. ca.pem belongs on every machine, HOST.pem and HOST.key on that machine
# alone, the folder authority/ on none of them: keep it where you run this. Certificates may be read by everybody, keys by
# root alone; a server that reads its key as another user gets a copy of its own. Run it again with a HOST before its
# certificate ends.
set -eu
umask 077
folder=$1
shift
mkdir -p "$folder/authority"
chmod 755 "$folder"
cd "$folder"
[ ! -f ca.key ] || mv ca.key authority/
curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc"
if [ ! -f authority/ca.key ]; then
    openssl req -x509 $curve -keyout authority/ca.key -out ca.pem -days 3650 -subj "/CN=Entry Desk, own authority" \
        -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign,cRLSign"
fi
for host; do
    openssl req -x509 $curve -keyout "$host.key" -out "$host.pem" -days 397 -subj "/CN=$host" -CA ca.pem -CAkey authority/ca.key \
        -addext "subjectAltName=DNS:$host" -addext "basicConstraints=critical,CA:FALSE" -addext "extendedKeyUsage=serverAuth"
done
chmod 644 ./*.pem
