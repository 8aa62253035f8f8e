import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { blocks, root } from '../support/markdown.ts'

/** Follows deploy/README.md for systemd with private /etc, /opt and /var/lib, except where systemd must run. */
const hasOwnMounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/opt']).status === 0

const INSTALL = `
set -e
cp -a /etc "$1/etc"; mkdir "$1/opt" "$1/lib"
mount --bind "$1/etc" /etc; mount --bind "$1/opt" /opt; mount --bind "$1/lib" /var/lib
. "$1/steps"
touch /opt/faultline/sql/metrics/gone.sql
. "$1/steps"
test ! -e /opt/faultline/sql/metrics/gone.sql
stat -c '%a %U %n' /etc/faultline.env /var/lib/faultline /var/lib/faultline/config.json /etc/systemd/system/faultline.service
cd /var/lib/faultline
set -a; . /etc/faultline.env; set +a; umask 022
as="setpriv --reuid=faultline --regid=faultline --clear-groups"
$as $2 > start.log 2>&1 & started=$!
for turn in $(seq 100); do sleep 0.5; test -e out/index.html && $as $2 --health > health.json && break; done
kill -TERM $started
wait $started && echo stopped
stat -c '%a %U %n' faultline.duckdb out/index.html
ls out
`

test.skipIf(!hasOwnMounts)(
  'install.sh and the steps beside it make a service that syncs and whose pages a web server can read',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-install-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const sandbox = await startSandbox({ incidents: 60, limits: false })
    onTestFinished(() => sandbox.close())
    writeFileSync(join(folder, 'app-key'), sandbox.appKey)
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ baseUrl: sandbox.baseUrl }))
    const [block] = blocks('deploy/README.md', 'sh')
    const steps = block!
      .split('\n')
      .filter((line) => !/^(sudo )?(systemctl|journalctl)/.test(line))
      .join('\n')
      .replaceAll('sudo ', '')
      // This checkout is built already, and the files of `init` are here.
      .replace('npm ci && ', '')
      .replace('app-key', join(folder, 'app-key'))
      .replace(' config.json', ` ${folder}/config.json`)
    expect(steps).toContain('sh deploy/install.sh')
    writeFileSync(join(folder, 'steps'), `cd ${root}\n${steps}`)
    const unit = readFileSync(join(root, 'deploy/faultline.service'), 'utf8')
    const command = /^ExecStart=(.*) --metrics 9464$/m.exec(unit)![1]!
    const { out, error } = await new Promise<{ out: string; error: string }>((resolve) =>
      execFile('unshare', ['-m', 'sh', '-c', INSTALL, 'sh', folder, command], (failed, stdout, stderr) =>
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
      ]),
    )
  },
  300_000,
)

test.each([
  ['nobody but root', ['setpriv', '--reuid=65534', '--clear-groups', 'sh', 'deploy/install.sh'], /root/],
  ['no checkout that is not built', ['sh', '-c', 'cp deploy/install.sh "$0" && sh "$0"'], /npm ci/],
])('install.sh rejects %s with a message', (_, command, words) => {
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
