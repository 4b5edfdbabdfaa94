#!/bin/sh
# Deletes what the installation and setup created, but never /var/lib/latchkey, which holds the data.
set -e
if [ "$1" = purge ]; then
  # Setup lists its files, a line each. Those of the proxy stay: its own configuration names them.
  if [ -f /etc/latchkey/setup.json ]; then
    sed -n 's|^ *"\(/etc/\(latchkey\|systemd/system\)/[^"]*\)".*|\1|p' /etc/latchkey/setup.json | xargs -r rm -f
  fi
  rm -f /etc/latchkey/setup.json /etc/latchkey/metrics-token /etc/latchkey/auth-client-secret
  for folder in /etc/systemd/system/latchkey-*.d /etc/latchkey; do
    rmdir --ignore-fail-on-non-empty "$folder" 2>/dev/null || true
  done
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
