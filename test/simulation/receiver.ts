import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Restatement } from '../../dist/render/result.js'
import { start } from '../support/process.ts'
import { type HookServer, hookServer } from '../support/server.ts'

/** What came of asking for the night's report: a message, or why there was none. */
export interface Delivery {
  /** Messages that came, with the moment that their data is of, ISO, and the number of incidents in them. */
  readonly messages: readonly { readonly id: string; readonly asOf: string; readonly incidents: number }[]
  /** Whether a process was killed when its message had come, before it could note that it was sent. */
  readonly isKilled: boolean
  /** How each process ended, and what it said. */
  readonly ends: readonly { readonly code: number | null; readonly err: string }[]
  readonly past: Past
}

/** What a report says of a month that is over, and of what it said before. */
export interface Past {
  readonly month: string
  /** Up to when its data was read, ISO. */
  readonly asOf: string
  readonly figures: ReadonlyMap<string, unknown>
  /** Null where it says that nothing has changed. */
  readonly restated: Pick<Restatement, 'figures'> | null
}

interface Made {
  readonly results: { readonly all: readonly Readonly<Record<string, unknown>>[] }
  readonly restated: Past['restated']
  readonly frame: { readonly asOfInstant: string | null }
}

/** Those who read: a report of the company's own is made and sent by the command line, and a server takes what comes. */
export class Receiver {
  readonly #folder: string
  readonly #hooks: HookServer
  /** Kills the process that sends, when its message has come. */
  #kill: (() => void) | undefined

  private constructor(folder: string, hooks: HookServer) {
    this.#folder = folder
    this.#hooks = hooks
  }

  /** @param parent folder in which what it needs is written */
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
   * Has the report made and sent, and asks for it once more: by a scheduler that does not know, or after a kill. Then one
   * of a month (`2026-03`).
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
    // Of one that failed there is an empty list; `delivered` tells how it ended.
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

/** Labels are the names of the columns. */
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
