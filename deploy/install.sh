#!/bin/sh
# Installs this checkout as a service of systemd, with user, folders, key file and unit. Run it as root, and again after an update.
# Then write FAULTLINE_APP_KEY=… into /etc/faultline.env, and config.json into /var/lib/faultline.
set -eu
stop() { echo "$1" >&2; exit 1; }
here=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" = 0 ] || stop "It makes a user and writes /opt and /etc: run it as root, sudo sh $0"
[ -e "$here/dist/bin/faultline.js" ] || stop "$here is not built: run npm ci there first, without sudo."
/usr/bin/node --version >/dev/null 2>&1 || stop 'There is no /usr/bin/node, which the unit starts (one in a home folder, as of nvm, is out of its reach): install Node 20.19 or newer for all users.'
getent passwd faultline >/dev/null || useradd --system --home-dir /var/lib/faultline --shell /usr/sbin/nologin faultline
install -d -m 0755 -o faultline -g faultline /var/lib/faultline
[ -e /etc/faultline.env ] || install -m 0600 -o root /dev/null /etc/faultline.env
if [ "$here" != /opt/faultline ]; then
  # Replaces the whole folder, so that removed files do not remain.
  rm -rf /opt/faultline.new
  mkdir -p /opt/faultline.new
  cp -R "$here/package.json" "$here/dist" "$here/sql" "$here/reports" "$here/node_modules" /opt/faultline.new/
  chmod -R u+rwX,go+rX,go-w /opt/faultline.new
  rm -rf /opt/faultline
  mv /opt/faultline.new /opt/faultline
fi
install -m 0644 "$here/deploy/faultline.service" /etc/systemd/system/faultline.service
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart faultline
fi
echo 'Next: the key into /etc/faultline.env, config.json into /var/lib/faultline, then: systemctl enable --now faultline'
