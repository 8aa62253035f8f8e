import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Targets } from '../../src/config/delivery-targets.ts'
import { type DeliverOptions, deliver } from '../../src/delivery/deliver.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { virtualTime } from '../support/clock.ts'
import { smtpServer } from '../support/mail-server.ts'
import { hookServer } from '../support/server.ts'

/** An output folder and servers for deliveries, created anew for each test. */
export interface Delivering {
  readonly out: string
  smtp(...answer: Parameters<typeof smtpServer>): ReturnType<typeof smtpServer>
  http(...answer: Parameters<typeof hookServer>): ReturnType<typeof hookServer>
  send(
    result: ReportResult,
    targets: Targets,
    effects?: ReturnType<typeof hurried>,
    more?: Partial<DeliverOptions>,
  ): ReturnType<typeof deliver>
}

export function deliveringOfTests(): Delivering {
  const closing: (() => Promise<void>)[] = []
  const to = {
    out: '',
    async smtp(...answer: Parameters<typeof smtpServer>) {
      const server = await smtpServer(...answer)
      closing.push(server.close)
      return server
    },
    async http(...answer: Parameters<typeof hookServer>) {
      const server = await hookServer(...answer)
      closing.push(server.close)
      return server
    },
    send(result: ReportResult, targets: Targets, effects = hurried(), more: Partial<DeliverOptions> = {}) {
      const { signal } = new AbortController()
      return deliver(result, {
        ...{ out: to.out, targets, effects, signal, subject, ledger: remembering() },
        ...more,
      })
    },
  }
  beforeEach(() => {
    to.out = mkdtempSync(join(tmpdir(), 'faultline-deliver-'))
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    rmSync(to.out, { recursive: true })
  })
  return to
}

export const subject = {
  parameters: '',
  period: '2026-08-17..2026-11-16',
  isComplete: true,
  due: '2026-11-21T06:30:00.000Z',
}

/** A clock whose sleeps end at once and are recorded. */
export function hurried() {
  const time = virtualTime(Date.parse('2026-11-21T06:30:00Z'))
  const waits: number[] = []
  return { ...time, waits, sleep: async (ms: number) => void waits.push(ms) }
}

export function targets(changes: Partial<Targets>): Targets {
  return { folder: false, link: undefined, mail: undefined, webhook: undefined, secrets: [], ...changes }
}

/** Sends every report by mail, by default to one recipient. */
export function mailTo(
  port: number,
  recipients: (report: string) => readonly string[] = () => ['a@company.example'],
): NonNullable<Targets['mail']> {
  const plain = { secure: false, login: undefined, picture: false }
  return { ...plain, host: '127.0.0.1', port, from: 'f@company.example', recipients }
}

/** A webhook that receives every report as JSON. */
export function hookTo(url: string, changes: Partial<NonNullable<Targets['webhook']>> = {}) {
  const plain = { secret: undefined, style: 'json' as const, picture: false, wants: () => true }
  return { ...plain, url: new URL(url), ...changes }
}

/** A ledger of sent messages, by key. */
export function remembering() {
  const sent = new Map<string, string>()
  const note = async ({ key }: { key: string }) => void sent.set(key, '2026-11-21T06:30:00.000Z')
  return { keys: sent, sent: async () => sent, note }
}
