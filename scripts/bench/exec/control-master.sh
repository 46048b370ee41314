#!/bin/sh
# One server by OpenSSH's ssh: one connection that all commands share. Arguments: socket, port, user, key, host, commands.
socket=$1 port=$2 user=$3 key=$4 host=$5
shift 5
mkfifo "$socket.up"
set -- "$@"
options="-q -F none -S $socket -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
# Not in the background of its own: its CPU seconds are to be counted. It says by a pipe that it is up.
ssh $options -M -N -i "$key" -o IdentitiesOnly=yes -o PermitLocalCommand=yes -o LocalCommand="echo > $socket.up" \
  -p "$port" "$user@$host" &
master=$!
read -r _ < "$socket.up"
status=0
for command; do
  ssh $options -p "$port" "$user@$host" "$command" > /dev/null || status=1
done
ssh $options -O exit -p "$port" "$user@$host" 2> /dev/null
wait "$master"
rm -f "$socket.up"
exit "$status"
