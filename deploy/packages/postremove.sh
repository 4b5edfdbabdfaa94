#!/bin/sh
# Deletes what the installation created, but never /var/lib/latchkey, which holds the data.
set -e
if [ "$1" = purge ]; then
  rm -f /etc/latchkey/metrics-token
  rmdir --ignore-fail-on-non-empty /etc/latchkey 2>/dev/null || true
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
