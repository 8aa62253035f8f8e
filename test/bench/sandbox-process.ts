import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sideDoor } from '../support/side-door.ts'

const main = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))

export interface Seen {
  requests: number
  rate_limited: number
  most_in_1s: { accepted: number }
  most_in_60s: { accepted: number }
}

export interface SandboxProcess {
  baseUrl: string
  appKey: string
  /** The time of the sandbox, Unix seconds. */
  now: number
  seen(): Promise<Seen>
  stop(): void
}

/** Starts `faultline sandbox` as a process, on a free port, at the common time of all benches. */
export async function sandboxProcess(incidents: number, ...options: string[]): Promise<SandboxProcess> {
  const usual = ['--port', '0', '--incidents', String(incidents), '--now', '2026-01-01', '--stand']
  const child = spawn(process.execPath, [main, 'sandbox', ...usual, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { base_url: baseUrl, app_key: appKey, now } = JSON.parse(line)
  return {
    baseUrl,
    appKey,
    now,
    seen: async () => (await (await sideDoor(baseUrl, 'stats')).json()) as Seen,
    stop: () => void child.kill(),
  }
}
