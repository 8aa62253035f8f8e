import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { Company } from '../simulation/company.ts'
import { newChannel, newIncident, newMember, newTeam } from '../simulation/records.ts'
import { run } from '../support/cli.ts'
import { resetMachineClock, setMachineClock } from '../support/machine-clock.ts'
import { type SmtpServer, smtpServer } from '../support/mail-server.ts'

const HOUR = 3_600
const included = ['executive-summary', 'mtta-mttr', 'on-call-handover', 'reliability-review']
const off = (...others: string[]) =>
  Object.fromEntries(
    [...included, 'severity-trend', 'team-overview']
      .filter((name) => !others.includes(name))
      .map((name) => [name, false]),
  )
const FORMER = fileURLToPath(new URL('former-build', import.meta.url))

/** Every report counts incidents by severity, and lists them. */
const BODY = `\`\`\`sql q
select incident_severity as severity, count(*) as n from scoped_incidents where period = 'current' group by all order by all
\`\`\`
\`\`\`table
data: q
incidents: severity
columns: [{ column: severity }, { column: n, format: number }]
\`\`\`
`

let folder: string
let company: Company
let sandbox: Sandbox
let mails: SmtpServer
/** Incidents begin at ten past each hour, and are closed twenty minutes later. */
let nextHour: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-periods-'))
  mails = await smtpServer()
})
afterEach(async () => {
  await sandbox.close()
  await mails.close()
  rmSync(folder, { recursive: true })
})

async function found(from: string, schedule: object, reports: Readonly<Record<string, string>> = {}) {
  const now = Date.parse(from) / 1_000
  nextHour = now
  company = new Company(now)
  company.put('members', 1, newMember(1, now))
  company.put('teams', 1, newTeam(1, [1]))
  company.put('channels', 1, newChannel(1, 1, now))
  sandbox = await startSandbox({ now, limits: false }, () => company.world())
  mkdirSync(join(folder, 'mine'))
  for (const [name, front] of Object.entries(reports))
    writeFileSync(join(folder, 'mine', `${name}.md`), `---\ntitle: ${name}\n${front}\n---\n${BODY}`)
  const mail = {
    host: '127.0.0.1',
    port: mails.port,
    from: 'f@company.example',
    to: ['boss@company.example'],
  }
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      ...{ baseUrl: sandbox.baseUrl, timezone: 'UTC', reports: './mine', sync: { since: from.slice(0, 10) } },
      schedule: { sync: '30 2 * * *', ...schedule },
      delivery: { mail },
    }),
  )
}

/** Runs a command at a time of the service's and of this machine's clock. */
async function at(time: string, args: readonly string[], key = sandbox.appKey) {
  const now = Date.parse(time) / 1_000
  for (; nextHour + 1_800 < now; nextHour += HOUR) {
    const start = nextHour + 600
    const id = nextHour.toString(16).padStart(24, '0')
    const one = newIncident(id, {
      start,
      channel: company.channels.get('1')!,
      severity: 'Critical',
      now: start,
    })
    const closed = {
      progress: 'Closed',
      ack_time: start + 300,
      close_time: start + 1_200,
      end_time: start + 1_200,
    } as const
    company.put('incidents', id, {
      ...one,
      ...closed,
      closer_id: 1,
      title: `At ${timeOf(start)}`,
      updated_at: start + 1_200,
    })
  }
  company.now = sandbox.advance(now - sandbox.now())
  setMachineClock(now * 1_000)
  try {
    return await run(args, { FAULTLINE_APP_KEY: key }, folder)
  } finally {
    resetMachineClock()
  }
}
const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 16)
const subjects = () =>
  mails.mails.map(({ raw }) => {
    const [, text] = /^Subject: (.*(?:\r\n .*)*)/m.exec(raw)!
    const bytes = text!
      .replace(/\?=\s+=\?UTF-8\?Q\?/g, '')
      .replace(/^=\?UTF-8\?Q\?|\?=$/g, '')
      .replaceAll('_', ' ')
    const hex = bytes.replace(/=([0-9A-F]{2})/g, '%$1')
    return decodeURIComponent(hex)
  })

describe('report --due for a month', () => {
  const month = 'schedule: "0 8 1 * *"\nparams: { period: last month }'
  const due = async (time: string) => (await at(time, ['report', '--due'])).err
  const sync = async (time: string) => expect((await at(time, ['sync'])).code).toBe(0)

  test('sends each month once if the night of its first day fails, and an incomplete one once more', async () => {
    await found('2025-12-30T00:00:00Z', { reports: off() }, { month })
    await sync('2026-01-01T02:30:00Z')
    await due('2026-01-01T08:05:00Z')
    expect(subjects()).toHaveLength(1)
    await sync('2026-01-31T02:30:00Z')
    expect(await due('2026-02-01T08:05:00Z')).toContain('is waiting for the sync of 2026-02-02T02:30')
    await sync('2026-02-02T02:30:00Z')
    await due('2026-02-02T08:35:00Z')
    const january = readFileSync(join(folder, 'out', 'month.html'), 'utf8')
    expect(/data-explore="([^"]*)"/.exec(january)?.[1]).toBe('period=2026-01-01..2026-02-01')
    // Neither the night of the first nor the one after it brings data of March's end.
    await sync('2026-03-31T02:30:00Z')
    await due('2026-03-31T08:05:00Z')
    await due('2026-04-01T08:05:00Z')
    await due('2026-04-02T08:35:00Z')
    await sync('2026-04-03T02:30:00Z')
    for (const hour of ['08', '09']) await due(`2026-04-03T${hour}:35:00Z`)
    expect(subjects()).toEqual([
      expect.stringMatching(/month, 1.Dec/),
      expect.stringMatching(/^month, 1.Jan/),
      expect.stringMatching(/^month, 1.Feb/),
      expect.stringMatching(/^month \(incomplete: data to 31.Mar.*02:30\), 1.Mar/),
      expect.stringMatching(/^Complete: month, 1.Mar/),
    ])
  })

  test('sends nothing again that the former build sent, and the index links to no former page', async () => {
    await found(
      '2025-12-01T00:00:00Z',
      { reports: off() },
      { month, day: 'schedule: "0 8 * * *"\nparams: { period: yesterday }' },
    )
    await sync('2026-01-01T02:30:00Z')
    copyFileSync(join(FORMER, 'deliveries.ndjson'), join(folder, 'faultline.duckdb.deliveries.ndjson'))
    const out = join(folder, 'out')
    mkdirSync(join(out, 'teams', 'team-1'), { recursive: true })
    const page = '<a href="teams/team-1/index.html">Team 1</a>'
    for (const name of ['index.html', 'severity-trend.html']) writeFileSync(join(out, name), page)
    writeFileSync(join(out, 'teams', 'team-1', 'index.html'), '')
    writeFileSync(
      join(out, '.teams.json'),
      JSON.stringify([
        { team: 'Team 1', account: null, ids: ['1'], page: 'teams/team-1/index.html', former: [] },
      ]),
    )
    expect(await at('2026-01-01T08:05:00Z', ['report', '--due'])).toMatchObject({
      code: 0,
      out: 'No report is due.\n',
    })
    await sync('2026-01-02T02:30:00Z')
    await due('2026-01-02T08:05:00Z')
    expect(subjects()).toEqual([expect.stringMatching(/^day.*1 Jan/)])
    await at('2026-01-02T09:00:00Z', ['report', 'severity-trend', 'team-overview', '--teams'])
    const index = readFileSync(join(out, 'index.html'), 'utf8')
    const links = [...index.matchAll(/href="([^"#:]+)"/g)].map(([, href]) => decodeURIComponent(href!))
    expect(links).toContain('teams/1/index.html')
    expect(links.filter((href) => !existsSync(join(out, href)))).toEqual([])
    expect(existsSync(join(out, 'teams', 'team-1'))).toBe(false)
  })
})

test('each incident is in one of the handovers, which sync first, and one whose sync fails says so', async () => {
  await found('2026-03-08T00:00:00Z', { reports: off('on-call-handover') })
  const shown: string[] = []
  let incidents = 0
  for (const day of ['10', '11', '12', '13']) {
    const isFailing = day === '12'
    if (!isFailing) expect((await at(`2026-03-${day}T02:30:00Z`, ['sync'])).code).toBe(0)
    const key = isFailing ? 'revoked' : sandbox.appKey
    const { err } = await at(`2026-03-${day}T08:00:30Z`, ['report', '--due'], key)
    const html = readFileSync(join(folder, 'out', 'on-call-handover.html'), 'utf8')
    expect([day, html.includes('The sync before this handover failed')]).toEqual([day, isFailing])
    expect([day, err.includes('The sync before this handover failed')]).toEqual([day, isFailing])
    expect([day, html.includes('No new data since')]).toEqual([day, isFailing])
    const csv = readFileSync(join(folder, 'out', 'on-call-handover', 'last_shift.csv'), 'utf8')
    shown.push(...[...csv.matchAll(/At (\S{16})/g)].map(([, time]) => time!))
    incidents = day === '13' ? new Set(shown).size : incidents
  }
  // 24 hours before the first one, and three days.
  expect([shown.length, incidents]).toEqual([96, 96])
  expect(mails.mails).toHaveLength(4)
}, 300_000)
