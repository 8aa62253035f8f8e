/**
 * Measures the time of several accounts in parallel, each under the limits of its own sandbox, compared with a single
 * account.
 * Usage: `node dist/bench/accounts.js [INCIDENTS] [--accounts=1,4] [--jobs=N]`
 * `times_one` is the time divided by the time for the first number in `--accounts`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { option, round } from './options.js'
import { sandboxProcess } from './sandbox-process.js'

const incidents = Number(process.argv[2] ?? 130_000)
const main = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))

let first: number | undefined
for (const count of option('accounts', '1,4').split(',').map(Number)) {
  const done = await syncOf(count)
  first ??= done.seconds
  console.log(JSON.stringify({ ...done, times_one: round(done.seconds / first) }))
}

/** Measures the first sync of this number of accounts, each with incidents of 800 days. */
async function syncOf(accounts: number) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  const sandboxes = []
  for (let index = 1; index <= accounts; index++) {
    sandboxes.push(await sandboxProcess(incidents, '--account', String(index)))
  }
  try {
    for (const [index, { appKey }] of sandboxes.entries()) writeFileSync(join(folder, `${index}.key`), appKey)
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({
        resources: ['incidents'],
        sync: { since: '800d' },
        accounts: sandboxes.map(({ baseUrl }, index) => ({
          name: `Account ${index}`,
          baseUrl,
          appKeyFile: `./${index}.key`,
        })),
      }),
    )
    const jobs = option('jobs', '')
    const words = ['sync', '--json', ...(jobs === '' ? [] : ['--jobs', jobs])]
    const env = { ...process.env, FAULTLINE_RUNTIME: join(folder, 'run') }
    const startedAt = performance.now()
    const child = spawn(process.execPath, [main, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    await once(child, 'close')
    const seconds = (performance.now() - startedAt) / 1_000
    const result = JSON.parse(text) as { published: boolean; accounts: { read: number; seconds: number }[] }
    const seen = await Promise.all(sandboxes.map((sandbox) => sandbox.seen()))
    return {
      accounts,
      cores: availableParallelism(),
      incidents_each: incidents,
      read: result.accounts.reduce((sum, { read }) => sum + read, 0),
      published: result.published,
      seconds: round(seconds),
      slowest_run: round(Math.max(...result.accounts.map((one) => one.seconds))),
      refused: seen.reduce((sum, { rate_limited }) => sum + rate_limited, 0),
      load: round(loadavg()[0]!),
    }
  } finally {
    for (const sandbox of sandboxes) sandbox.stop()
    rmSync(folder, { recursive: true })
  }
}
