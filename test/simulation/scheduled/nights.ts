import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localTime } from '../../../dist/render/format.js'
import { startSandbox } from '../../../dist/sandbox/start-sandbox.js'
import { parseCron } from '../../../dist/settings/cron.js'
import { hookServer } from '../../support/server.ts'
import { chanceOf } from '../chance.ts'
import { Company } from '../company.ts'
import { newChannel, newIncident, newMember, newTeam } from '../records.ts'
import { runAt } from './command.ts'
import type { Delivered, Due, Handover, Happened } from './delivered.ts'
import { judgeHandovers } from './handovers.ts'
import { judgePeriods } from './periods.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const ZONE = 'Europe/Berlin'
/** Some days before clocks change on the 29th and before the end of the month. */
const START = Date.UTC(2026, 2, 27, 12) / 1_000
/** The status of reports with incomplete or old data, as expected in these nights. */
const GATE_FAILED = 3
/** A report that is due within this time of the end may still wait for its data. */
const WAITS = 2.5 * DAY

/** Schedules and troubles of a company, which depend only on the seed. */
export interface ScheduledNights {
  readonly seed: number
  readonly nights: number
}

/** The result of a simulation. */
export interface Outcome {
  /** The messages of judges, empty if every promise holds. */
  readonly verdicts: readonly string[]
  readonly incidents: number
  readonly dues: number
  readonly complete: number
  readonly incomplete: number
  readonly handovers: number
  readonly failedSyncs: number
}

const REPORTS = {
  day: { schedule: '0 8 * * *', period: 'yesterday' },
  week: { schedule: '0 7 * * 1', period: 'last week' },
  month: { schedule: '0 8 1 * *', period: 'last month' },
} as const
const SHIFTS = '0 8,20 * * *'

/** Syncs and delivers by the command line for some nights, over the end of a month, and judges the deliveries. */
export async function scheduledNights({ seed, nights }: ScheduledNights): Promise<Outcome> {
  const stage = await Stage.open(seed)
  try {
    const end = START + nights * DAY
    for (const moment of momentsOf(stage.syncs, end)) await stage.play(moment)
    return stage.judge(end)
  } finally {
    await stage.close()
  }
}

interface Moment {
  readonly at: number
  readonly isSync: boolean
}

const cronOf = (text: string) => parseCron(text, ZONE, '')

/** When a sync or a report is due, Unix seconds. */
function timesOf(text: string, end: number): number[] {
  const cron = cronOf(text)
  const times: number[] = []
  for (let at = cron.next(START * 1_000); at !== null && at < end * 1_000; at = cron.next(at))
    times.push(at / 1_000)
  return times
}

function momentsOf(syncs: string, end: number): Moment[] {
  const dues = new Set(
    [...Object.values(REPORTS).map(({ schedule }) => schedule), SHIFTS].flatMap((text) => timesOf(text, end)),
  )
  const all = [
    ...timesOf(syncs, end).map((at) => ({ at, isSync: true })),
    ...[...dues].map((at) => ({ at, isSync: false })),
  ]
  return all.sort((a, b) => a.at - b.at)
}

/** A company with its service, a receiver of messages, and a machine with a schedule. */
class Stage {
  readonly syncs: string
  readonly #delivered: Delivered[] = []
  readonly #handovers: Handover[] = []
  readonly #happened: Happened[] = []
  readonly #ended: string[] = []
  #goodSyncs: number[] = []
  #failedSyncs = 0
  /** Incidents that the service does not list yet. */
  #late: Happened[] = []
  #now = START

  private constructor(
    readonly seed: number,
    readonly folder: string,
    readonly company: Company,
    readonly service: Awaited<ReturnType<typeof startSandbox>>,
    readonly hooks: Awaited<ReturnType<typeof hookServer>>,
    readonly refusing: { is: boolean },
  ) {
    // Every second company reads its data before midnight.
    this.syncs = seed % 2 === 0 ? '0 22 * * *' : '30 2 * * *'
  }

  static async open(seed: number): Promise<Stage> {
    const company = new Company(START)
    company.put('members', 1, newMember(1, START))
    company.put('teams', 1, newTeam(1, [1]))
    company.put('channels', 1, newChannel(1, 1, START))
    const service = await startSandbox({ seed, now: START, limits: false }, () => company.world())
    const refusing = { is: false }
    const hooks = await hookServer((response) => response.writeHead(refusing.is ? 404 : 204).end())
    const folder = mkdtempSync(join(tmpdir(), 'faultline-scheduled-'))
    const stage = new Stage(seed, folder, company, service, hooks, refusing)
    stage.#configure()
    return stage
  }

  #configure(): void {
    mkdirSync(join(this.folder, 'mine'))
    const write = (name: string, text: string) => writeFileSync(join(this.folder, 'mine', `${name}.md`), text)
    for (const [name, { schedule, period }] of Object.entries(REPORTS))
      write(name, `---\ntitle: ${name}\nschedule: "${schedule}"\nparams: { period: ${period} }\n---\n# Hi\n`)
    write(
      'shift',
      `---\ntitle: shift\nschedule: "${SHIFTS}"\n---\n\`\`\`sql shown\nselect incident_id from shift_incidents order by all\n\`\`\`\nHi.\n`,
    )
    const included = ['executive-summary', 'mtta-mttr', 'on-call-handover', 'reliability-review']
    const off = [...included, 'severity-trend', 'team-overview'].map((name) => [name, false])
    writeFileSync(
      join(this.folder, 'config.json'),
      JSON.stringify({
        baseUrl: this.service.baseUrl,
        timezone: ZONE,
        warehouse: join(this.folder, 'w.duckdb'),
        out: join(this.folder, 'out'),
        reports: join(this.folder, 'mine'),
        sync: { since: '2026-02-01' },
        schedule: { sync: this.syncs, reports: Object.fromEntries(off) },
        delivery: { folder: true, webhook: { url: this.hooks.url } },
      }),
    )
  }

  /** Plays one moment: a check for due reports, after a sync or without one. */
  async play({ at, isSync }: Moment): Promise<void> {
    this.#advance(at + 60)
    const isFailing = this.#isFailing(at)
    this.refusing.is = !isSync && chanceOf(this.seed, at / HOUR, 'refused').is(0.08) && hourOf(at) === 8
    if (isSync) {
      const { code } = await this.#run(['sync'], isFailing)
      if (isFailing) this.#failedSyncs++
      else {
        this.#goodSyncs.push(this.service.now())
        if (code !== 0) this.#ended.push(`the sync of ${dayOf(at)} ended with ${code}`)
      }
    }
    const from = this.hooks.posts.length
    const { code, err } = await this.#run(['report', '--due', '--format', 'html,csv'], isFailing)
    if (![0, GATE_FAILED].includes(code ?? 1) && !this.refusing.is && this.#goodSyncs.length > 0)
      this.#ended.push(`report --due at ${new Date(at * 1_000).toISOString()} ended with ${code}: ${err}`)
    if (!this.refusing.is) for (const { body } of this.hooks.posts.slice(from)) this.#note(JSON.parse(body))
  }

  /** Whether a night fails: the last and the first of a month do, the second for some seeds, others by chance. */
  #isFailing(at: number): boolean {
    if (this.#goodSyncs.length === 0) return false
    const day = dayOf(at)
    const always = ['2026-03-31', '2026-04-01', ...(this.seed % 3 === 1 ? ['2026-04-02'] : [])]
    const chance = chanceOf(this.seed, Number(day.replaceAll('-', '')), hourOf(at) < 12 ? 'night' : 'evening')
    return (hourOf(at) !== 20 && always.includes(day)) || chance.is(0.15)
  }

  #advance(to: number): void {
    const seconds = Math.max(1, Math.round(to - this.service.now()))
    for (let hour = Math.ceil(this.#now / HOUR); hour * HOUR < to - HOUR; hour++) {
      const chance = chanceOf(this.seed, hour, 'incident')
      if (!chance.is(0.6)) continue
      const startedAt = hour * HOUR + chance.whole(0, HOUR - 1)
      // The service lists some incidents hours or days after they began.
      const listedAt = chance.is(0.15) ? startedAt + chance.whole(1, 44) * HOUR : startedAt
      this.#late.push({ id: hour.toString(16).padStart(24, '0'), startedAt, listedAt })
      this.#now = (hour + 1) * HOUR
    }
    this.company.now = this.service.advance(seconds)
    const now = this.company.now
    for (const { id, startedAt } of this.#late.filter(({ listedAt }) => listedAt <= now)) {
      const channel = this.company.channels.get('1')!
      this.company.put(
        'incidents',
        id,
        newIncident(id, { start: startedAt, channel, severity: 'Warning', now }),
      )
      this.#happened.push({ id, startedAt, listedAt: now })
    }
    this.#late = this.#late.filter(({ listedAt }) => listedAt > now)
  }

  #run(args: readonly string[], isFailing: boolean) {
    const config = ['--config', join(this.folder, 'config.json')]
    const key = isFailing ? 'revoked' : this.service.appKey
    return runAt(this.service.now() * 1_000, [...args, ...config], { FAULTLINE_APP_KEY: key })
  }

  #note(message: {
    report: string
    title: string
    path: string
    as_of: string
    period: { from: string; to: string }
  }) {
    const { report, title, path, as_of, period } = message
    const one = { asOf: Date.parse(as_of) / 1_000, at: this.service.now() }
    const out = join(this.folder, 'out')
    if (report === 'shift') {
      const [, ...rows] = readFileSync(join(out, 'shift', 'shown.csv'), 'utf8')
        .trimEnd()
        .split('\r\n')
      this.#handovers.push({ ...one, incidents: rows })
    } else {
      this.#delivered.push({
        ...{ ...one, report, period: `${period.from}..${period.to}` },
        isComplete: !title.includes('(incomplete'),
        hasPage: existsSync(join(out, path)),
      })
    }
  }

  judge(end: number): Outcome {
    const last = Math.min(end - WAITS, this.#goodSyncs.at(-1) ?? 0)
    const dues = Object.entries(REPORTS).flatMap(([report, { schedule }]) =>
      timesOf(schedule, last)
        .filter((at) => at > this.#goodSyncs[0]!)
        .map((at): Due => ({ report, period: periodOf(report as keyof typeof REPORTS, dayOf(at)) })),
    )
    return {
      verdicts: [
        ...this.#ended,
        ...judgePeriods(dues, this.#delivered),
        ...judgeHandovers(this.#happened, this.#handovers),
      ],
      incidents: this.#happened.length,
      dues: dues.length,
      complete: this.#delivered.filter(({ isComplete }) => isComplete).length,
      incomplete: this.#delivered.filter(({ isComplete }) => !isComplete).length,
      handovers: this.#handovers.length,
      failedSyncs: this.#failedSyncs,
    }
  }

  async close(): Promise<void> {
    await this.service.close()
    await this.hooks.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The period of a report that is due on a day, computed independently of the program. */
function periodOf(report: keyof typeof REPORTS, day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  const shifted = (days: number) => new Date(date.getTime() + days * DAY * 1_000).toISOString().slice(0, 10)
  if (report === 'day') return `${shifted(-1)}..${day}`
  if (report === 'week') return `${shifted(-7)}..${day}`
  const before = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)).toISOString().slice(0, 10)
  return `${before}..${day}`
}

const dayOf = (at: number) => localTime(new Date(at * 1_000), ZONE).slice(0, 10)
const hourOf = (at: number) => Number(localTime(new Date(at * 1_000), ZONE).slice(11, 13))
