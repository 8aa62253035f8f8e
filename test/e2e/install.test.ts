import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { blocks, root } from '../support/markdown.ts'
import { npm, packTarball } from '../support/packed.ts'

/**
 * Whether a process can have its own mounts. The test needs them to follow the part of deploy/README.md about systemd
 * with private /etc, /opt and /var/lib. Steps that need a running systemd are left out.
 */
const hasOwnMounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/opt']).status === 0

const INSTALL = `
set -e
cp -a /etc "$1/etc"; cp -a /usr/local/bin "$1/bin"; mkdir "$1/opt" "$1/lib" "$1/backups"
mount --bind "$1/etc" /etc; mount --bind "$1/opt" /opt; mount --bind "$1/lib" /var/lib
mount --bind "$1/bin" /usr/local/bin; mount --bind "$1/backups" /var/backups
cd "$1"
. "$1/install"
faultline check
touch /opt/faultline/sql/metrics/gone.sql
. "$1/upgrade"
test ! -e /opt/faultline/sql/metrics/gone.sql
stat -c '%a %U %n' /etc/faultline.env /var/lib/faultline /var/lib/faultline/config.json /etc/systemd/system/faultline.service
cd /var/lib/faultline
set -a; . /etc/faultline.env; set +a; umask 022
as="setpriv --reuid=faultline --regid=faultline --clear-groups"
$as $2 > start.log 2>&1 & started=$!
for turn in $(seq 100); do sleep 0.5; test -e out/index.html && $as $2 --health > health.json && break; done
. "$1/back-up"
kill -TERM $started
wait $started && echo stopped
cd "$1"
. "$1/by-hand"
. "$1/restore"
cd /var/lib/faultline
stat -c '%a %U %n' faultline.duckdb out/index.html
ls out
cd "$1"
. "$1/remove"
ls -d /opt/faultline /var/lib/faultline /etc/faultline.env /usr/local/bin/faultline 2> /dev/null || echo removed
`

/** Returns the lines of the guide's block that contains `command`, without lines that need systemd. */
function steps(command: string): string {
  const block = blocks('deploy/README.md', 'sh').find((text) => text.includes(command))
  expect(block, command).toBeDefined()
  return block!
    .split('\n')
    .filter((line) => !/systemctl|journalctl|^docker|^kubectl/.test(line))
    .join('\n')
    .replaceAll('sudo ', '')
    .replaceAll('npm install ', 'npm install --prefer-offline --no-audit ')
}

test.skipIf(!hasOwnMounts)(
  'the commands in deploy/README.md install, upgrade, restore and remove the systemd service',
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-install-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const sandbox = await startSandbox({ incidents: 60, limits: false })
    onTestFinished(() => sandbox.close())
    const tarball = packTarball(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const tried = npm(['install', '--prefer-offline', '--no-audit', `./${tarball}`], folder)
    if (tried.status !== 0) context.skip(`the dependencies could not be installed: ${tried.stderr}`)
    // Permits the service's user to enter the folder, but not to list it. Other permissions must come from the guide.
    chmodSync(folder, 0o711)
    writeFileSync(join(folder, 'app-key'), sandbox.appKey)
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ baseUrl: sandbox.baseUrl }))
    for (const [name, command] of [
      ['install', '/etc/faultline.env'],
      ['upgrade', 'restarts the service'],
      ['by-hand', 'faultline sync'],
      ['back-up', 'cp -a'],
      ['restore', 'faultline restore'],
      ['remove', 'userdel'],
    ] as const)
      writeFileSync(join(folder, name), steps(command))
    const unit = readFileSync(join(root, 'deploy/faultline.service'), 'utf8')
    const start = /^ExecStart=(.*) --metrics 9464$/m.exec(unit)![1]!
    const { out, error } = await new Promise<{ out: string; error: string }>((resolve) =>
      execFile('unshare', ['-m', 'sh', '-c', INSTALL, 'sh', folder, start], (failed, stdout, stderr) =>
        resolve({ out: stdout, error: failed ? `${failed.message}\n${stderr}` : '' }),
      ),
    )
    expect(error).toBe('')
    const lines = out.split('\n').filter((line) => !line.startsWith('Next: '))
    expect(lines).toEqual(
      expect.arrayContaining([
        '600 root /etc/faultline.env',
        '755 faultline /var/lib/faultline',
        '640 root /var/lib/faultline/config.json',
        '644 root /etc/systemd/system/faultline.service',
        'stopped',
        '600 faultline faultline.duckdb',
        '644 faultline out/index.html',
        'executive-summary.html',
        expect.stringContaining('is /var/backups/faultline/faultline.duckdb again'),
        'removed',
      ]),
    )
  },
  600_000,
)

test.each([
  [
    'a user other than root',
    ['setpriv', '--reuid=65534', '--clear-groups', 'sh', 'deploy/install.sh'],
    /root/,
  ],
  ['a checkout that was not built', ['sh', '-c', 'cp deploy/install.sh "$0" && sh "$0"'], /npm ci/],
])('deploy/install.sh rejects %s', (_, command, words) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-unbuilt-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (process.getuid?.() !== 0) return
  const [program = '', ...args] = command
  const { status, stderr } = spawnSync(program, [...args, join(folder, 'install.sh')], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(words)])
})
