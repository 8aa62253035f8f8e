#!/bin/sh
# Installs Faultline as a service of systemd: user, folders, key file, unit and the command `faultline`. Run it as root from a built
# checkout or an installed package, and again after an update. It keeps the key, the configuration and the data.
set -eu
stop() { echo "$1" >&2; exit 1; }
here=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" = 0 ] || stop "It creates a user and writes /opt and /etc: run it as root, sudo sh $0"
[ -e "$here/dist/bin/faultline.js" ] || stop "$here is not built: run npm ci there first, without sudo."
/usr/bin/node --version >/dev/null 2>&1 || stop '/usr/bin/node is missing, and the unit starts it. The service cannot reach a Node in a home folder, as of nvm. Install Node 20.19 or newer for all users.'
# npm puts the dependencies of a package beside it.
modules=$here/node_modules
[ -e "$modules/@duckdb" ] || modules=$(dirname "$here")
[ "$modules" = "$here/node_modules" ] || [ ! -e "$here/node_modules" ] || stop "Other packages share $modules: run npm install of the tarball in an empty folder."
[ -e "$modules/@duckdb" ] || stop "The dependencies are missing in $modules: run npm ci, or npm install of the tarball, first."
getent passwd faultline >/dev/null || useradd --system --home-dir /var/lib/faultline --shell /usr/sbin/nologin faultline
install -d -m 0755 -o faultline -g faultline /var/lib/faultline /var/lib/faultline/out
[ -e /etc/faultline.env ] || install -m 0600 -o root /dev/null /etc/faultline.env
if [ "$here" != /opt/faultline ]; then
  # Replaces the whole folder, so that removed files do not remain.
  rm -rf /opt/faultline.new
  mkdir -p /opt/faultline.new
  cp -R "$here/package.json" "$here/dist" "$here/sql" "$here/reports" "$here/deploy" /opt/faultline.new/
  cp -R "$modules" /opt/faultline.new/node_modules
  rm -rf /opt/faultline.new/node_modules/faultline
  chmod -R u+rwX,go+rX,go-w /opt/faultline.new
  rm -rf /opt/faultline
  mv /opt/faultline.new /opt/faultline
fi
install -m 0644 "$here/deploy/faultline.service" /etc/systemd/system/faultline.service
install -d -m 0755 /usr/local/bin
# npm may have left a link of this name.
rm -f /usr/local/bin/faultline
cat > /usr/local/bin/faultline <<'END'
#!/bin/sh
# Runs a command of Faultline as the user of the service, with its environment and in its folder.
set -eu
[ "$(id -u)" = 0 ] || { echo 'faultline runs as the user of the service: sudo faultline …' >&2; exit 1; }
while IFS= read -r line || [ -n "$line" ]; do
  case $line in [A-Za-z_]*=*) export "$line" ;; esac
done < /etc/faultline.env
export HOME=/var/lib/faultline
umask 022
cd /var/lib/faultline
exec setpriv --reuid=faultline --regid=faultline --init-groups /usr/bin/node /opt/faultline/dist/bin/faultline.js "$@"
END
chmod 0755 /usr/local/bin/faultline
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart faultline
fi
echo 'Next: the key into /etc/faultline.env, config.json into /var/lib/faultline, sudo faultline check, then: systemctl enable --now faultline'
