import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Restatement } from '../../dist/render/result.js'
import { start } from '../support/process.ts'
import { type HookServer, hookServer } from '../support/server.ts'

/** The outcome of creating and sending the report of one night. */
export interface Delivery {
  /** The received messages, each with the time of its data (ISO) and its number of incidents. */
  readonly messages: readonly { readonly id: string; readonly asOf: string; readonly incidents: number }[]
  /** Whether a process was killed after its message arrived, but before it could record the delivery. */
  readonly isKilled: boolean
  readonly ends: readonly { readonly code: number | null; readonly err: string }[]
  readonly past: Past
}

/** A report's figures of a past month, and its changes since the last report. */
export interface Past {
  readonly month: string
  /** The time of the report's data, ISO. */
  readonly asOf: string
  readonly figures: ReadonlyMap<string, unknown>
  /** Null if the report shows no change. */
  readonly restated: Pick<Restatement, 'figures'> | null
}

interface Made {
  readonly results: { readonly all: readonly Readonly<Record<string, unknown>>[] }
  readonly restated: Past['restated']
  readonly frame: { readonly asOfInstant: string | null }
}

/** Creates and sends a custom report with the command line, and receives its messages with a server. */
export class Receiver {
  readonly #folder: string
  readonly #hooks: HookServer
  /** Kills the process that sent a message, once the message has arrived. */
  #kill: (() => void) | undefined

  private constructor(folder: string, hooks: HookServer) {
    this.#folder = folder
    this.#hooks = hooks
  }

  static async open(parent: string): Promise<Receiver> {
    let receiver: Receiver | undefined
    const hooks = await hookServer((response) => {
      receiver?.onMessage()
      response.writeHead(204).end()
    })
    const folder = join(parent, 'readers')
    mkdirSync(join(folder, 'mine'), { recursive: true })
    writeFileSync(join(folder, 'mine', 'nightly.md'), REPORT)
    writeFileSync(join(folder, 'mine', 'past.md'), PAST)
    receiver = new Receiver(folder, hooks)
    return receiver
  }

  /**
   * Creates and sends the report, then requests it again, as a restart after a kill or a second scheduler would.
   * Finally creates the report of one month (such as `2026-03`).
   */
  async deliver(warehouse: string, isKilled: boolean, month: string): Promise<Delivery> {
    const from = this.#hooks.posts.length
    const config = {
      warehouse,
      reports: './mine',
      delivery: { folder: false, webhook: { url: this.#hooks.url } },
    }
    writeFileSync(join(this.#folder, 'config.json'), JSON.stringify(config))
    const ends: Delivery['ends'][number][] = []
    for (const kills of [isKilled, false]) {
      const { process, ended } = start(['report', 'nightly', '--deliver'], {}, this.#folder)
      this.#kill = kills ? () => process.kill('SIGKILL') : undefined
      const { code, out, err } = await ended
      ends.push({ code, err: `${out}${err}` })
    }
    this.#kill = undefined
    const messages = this.#hooks.posts.slice(from).map(({ headers, body }) => {
      const { as_of, figures } = JSON.parse(body) as { as_of: string; figures: { value: number }[] }
      return { id: String(headers['idempotency-key']), asOf: as_of, incidents: figures[0]!.value }
    })
    return { messages, isKilled, ends, past: await this.#past(month, ends) }
  }

  async #past(month: string, ends: Delivery['ends'][number][]): Promise<Past> {
    const { ended } = start(['report', 'past', '--period', month, '--json'], {}, this.#folder)
    const { code, out, err } = await ended
    ends.push({ code, err })
    // `out` is empty after a failure, which the judge `delivered` reports.
    const { results, restated = null, frame } = JSON.parse(out || '[]') as Partial<Made>
    const asOf = frame?.asOfInstant ?? ''
    return { month, asOf, figures: new Map(Object.entries(results?.all[0] ?? {})), restated }
  }

  private onMessage(): void {
    this.#kill?.()
  }

  close(): Promise<void> {
    return this.#hooks.close()
  }
}

const REPORT = `---
title: Nightly
params: { period: 4 weeks }
---

\`\`\`sql all
select count(*) as n from incidents where vanished_at is null
\`\`\`

\`\`\`kpi all
- { value: all.n, label: Incidents, format: number }
\`\`\`
`

/** A custom report whose labels equal the names of its columns. */
const PAST = `---
title: Past
params: { period: 4 weeks }
---

\`\`\`sql all
select
  count(*) as n,
  count(*) filter (incident_severity = 'Critical') as critical,
  count(*) filter (closed_at is null) as still_open,
  count(*) filter (band <> 'work') as outside,
  count(*) filter (is_acknowledged) as answered,
  median(time_to_ack_s) as acknowledged_within,
  median(time_to_resolve_s) as resolved_within
from scoped_incidents
where period = 'current'
\`\`\`

\`\`\`kpi all
- { value: all.n, label: n, format: number }
- { value: all.critical, label: critical, format: number }
- { value: all.still_open, label: still_open, format: number }
- { value: all.outside, label: outside, format: number }
- { value: all.answered, label: answered, format: number }
\`\`\`

\`\`\`kpi all
- { value: all.acknowledged_within, label: acknowledged_within, format: duration }
- { value: all.resolved_within, label: resolved_within, format: duration }
\`\`\`
`
