#!/bin/sh
# Installs this checkout as a service of systemd: user, folders, key file and unit. Run as root, once; again after an update.
# Afterwards: write FAULTLINE_APP_KEY=… into /etc/faultline.env, and config.json into /var/lib/faultline.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
getent passwd faultline >/dev/null || useradd --system --home-dir /var/lib/faultline --shell /usr/sbin/nologin faultline
install -d -m 0755 -o faultline -g faultline /var/lib/faultline
[ -e /etc/faultline.env ] || install -m 0600 -o root /dev/null /etc/faultline.env
if [ "$here" != /opt/faultline ]; then
  install -d -m 0755 /opt/faultline
  cp -R "$here/package.json" "$here/dist" "$here/sql" "$here/reports" "$here/node_modules" /opt/faultline/
fi
install -m 0644 "$here/deploy/faultline.service" /etc/systemd/system/faultline.service
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
echo 'Next: the key into /etc/faultline.env, config.json into /var/lib/faultline, then: systemctl enable --now faultline'
