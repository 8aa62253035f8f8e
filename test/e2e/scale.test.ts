import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { start } from '../support/cli.ts'
import { DAY, type Json, NOW } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'

const MOST_MB = 1_500

test('a sandbox of 1,000,000 incidents returns the incidents of a day with less than 1.5 GB of memory', async () => {
  const options = `--port 0 --incidents 1000000 --stand --now ${new Date(NOW * 1_000).toISOString()} --no-limits`
  const service = start(['sandbox', ...options.split(' ')])
  onTestFinished(() => void service.process.kill('SIGKILL'))
  const line = await new Promise<string>((resolve) => service.process.stdout!.once('data', resolve))
  const { base_url, app_key } = JSON.parse(line)

  /** Returns the ids of the incidents of the last day. */
  async function list(): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const request = {
        start_time: NOW - DAY,
        end_time: NOW,
        limit: 100,
        search_after_ctx: cursor,
      }
      const response = await fetch(`${base_url}/incident/list?app_key=${app_key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
      const { data } = (await response.json()) as Json
      ids.push(...data.items.map((row: Json) => row.incident_id))
      if (!data.has_next_page) return ids
      cursor = data.search_after_ctx
    }
  }

  const { counts } = (await (await sideDoor(base_url, 'world')).json()) as Json
  expect(counts.incidents).toBeGreaterThan(990_000)
  const all = await list()
  expect(all.length).toBeGreaterThan(1_000)
  expect(new Set(all).size).toBe(all.length)
  if (platform() === 'linux') expect(peakMb(service.process.pid!)).toBeLessThan(MOST_MB)
})

/** Returns the peak memory of a process in MB. */
function peakMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024
}
