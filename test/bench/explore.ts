/**
 * Measures the time of a click in `/explore` on a warehouse with many incidents.
 * Usage: `node dist/bench/explore.js INCIDENTS [--keep=FILE] [--clicks=60]`
 * Each measured click follows a new link. Before every sixth click, the page with all incidents is opened again. A
 * separate process creates the file, so that the memory of that process is not counted. --keep reuses a file, or
 * creates a missing one.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explorer } from '../../dist/explore/explore.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { defaultSettings } from '../../dist/settings/settings.js'
import { bigCompany } from './big-company.js'
import { option } from './options.js'

const count = Number(process.argv[2] ?? 100_000)
const making = option('make', '')
if (making !== '') {
  await bigCompany(making, count)
  process.exit()
}

const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const path = option('keep', join(folder, 'bench.duckdb'))
try {
  if (!existsSync(path)) spawnSync(process.execPath, [process.argv[1]!, String(count), `--make=${path}`])
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const warehouse = await resolveStorage(path)
  const explored = explorer({ warehouse, settings: defaultSettings, timezone: undefined })
  const click = async (address: string): Promise<string> => {
    const { pathname, searchParams } = new URL(address, 'http://localhost')
    const answer = await explored.answer(pathname, searchParams)
    if (answer?.status !== 200) throw new Error(`${address}: ${answer?.status} ${answer?.body}`)
    return answer.body as string
  }
  const [from, cpuFrom] = [performance.now(), process.cpuUsage()]
  let page = await click('/explore')
  const { user, system } = process.cpuUsage(cpuFrom)
  const made = {
    first_s: Math.round(performance.now() - from) / 1_000,
    cpu_s: Math.round((user + system) / 1e4) / 100,
  }
  console.log(JSON.stringify({ incidents: count, ...made }))

  const times: { ms: number; cpu_ms: number; address: string }[] = []
  const seen = new Set<string>()
  let state = 1
  const next = (most: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % most
  }
  while (seen.size < Number(option('clicks', '60'))) {
    if (seen.size % 6 === 0) page = await click('/explore?period=all')
    const links = [...page.matchAll(/href="(\/explore(?:\?[^"]*)?)"/g)].map(([, href]) =>
      href!.replaceAll('&amp;', '&'),
    )
    const fresh = links.filter((href) => !seen.has(href))
    const address = fresh[next(fresh.length)]!
    seen.add(address)
    const [before, cpuBefore] = [performance.now(), process.cpuUsage()]
    page = await click(address)
    const cpu = process.cpuUsage(cpuBefore)
    times.push({ ms: performance.now() - before, cpu_ms: (cpu.user + cpu.system) / 1_000, address })
  }
  explored.close()
  times.sort((a, b) => a.ms - b.ms)
  const middle = (values: number[]) =>
    Math.round(values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!)
  const slowest = times.at(-1)!
  console.log(
    JSON.stringify({
      clicks: times.length,
      median_ms: middle(times.map(({ ms }) => ms)),
      median_cpu_ms: middle(times.map(({ cpu_ms }) => cpu_ms)),
      slowest_ms: Math.round(slowest.ms),
      slowest: slowest.address,
      page_kb: Math.round(page.length / 1_000),
      peak_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    }),
  )
}
