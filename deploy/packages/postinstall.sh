#!/bin/sh
# The argument is `configure` and the old version in a deb, and the number of installed versions in an rpm.
set -e
case "$1:$2" in
  configure: | 1:*) is_upgrade=false ;;
  configure:* | [2-9]:*) is_upgrade=true ;;
  *) exit 0 ;;
esac

systemd-sysusers /usr/lib/sysusers.d/latchkey.conf
systemd-tmpfiles --create /usr/lib/tmpfiles.d/latchkey.conf

# Both services read it, and the units need the file.
token=/etc/latchkey/metrics-token
if [ ! -s "$token" ]; then
  (umask 077 && od -An -v -N24 -tx1 /dev/urandom | tr -d ' \n' >"$token")
fi

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # A service that cannot start must not leave the package half installed; systemctl names it.
  if $is_upgrade; then systemctl try-restart latchkey-links.service latchkey-rooms.service || true; fi
fi

if ! $is_upgrade; then
  echo 'Latchkey does not start by itself. Set it up: latchkey setup'
  echo 'Or edit /etc/latchkey/links.env and /etc/latchkey/rooms.env, then:'
  echo '  systemctl enable --now latchkey-links latchkey-rooms'
fi
