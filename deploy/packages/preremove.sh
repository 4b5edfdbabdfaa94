#!/bin/sh
# The argument is `remove` in a deb, and the number of versions that stay in an rpm. An upgrade leaves services running.
set -e
case "$1" in
  remove | 0) ;;
  *) exit 0 ;;
esac
cd /usr/lib/systemd/system
if [ -d /run/systemd/system ]; then
  systemctl --no-reload disable --now latchkey-*
else
  systemctl disable latchkey-*
fi
