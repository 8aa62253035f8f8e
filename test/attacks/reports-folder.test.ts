import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkSchedule } from '../../src/cli/check/check-reports.ts'
import { loadConfig } from '../../src/config/config.ts'
import { allReports, listReports } from '../../src/report/report-catalog.ts'
import { planJobs } from '../../src/schedule/jobs.ts'
import { start } from '../support/cli.ts'
import { scratch } from '../support/warehouse.ts'

const front = (more: string) => `---\ntitle: T\n${more}---\nText.\n`
const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', 'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]']
const levels = [
  ...bomb,
  'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]',
  'description: [*c, *c, *c, *c, *c, *c]',
]

const broken: [name: string, text: string, line: number, words: RegExp][] = [
  ['alias', '---\ntitle: *important*\n---\nhello\n', 2, /YAML.*important/],
  ['alias-in-block', front('').replace('Text.', '```kpi\n- label: A\n  value: *b\n```'), 6, /YAML.*b/],
  ['bomb', front(`${levels.join('\n')}\n`), 4, /^The aliases \(\*name\) in this YAML/],
  ['deep', front(`description: ${'['.repeat(3_000)}\n`), 3, /YAML/],
  ['merge', front('<<: *gone\n'), 3, /YAML.*gone/],
  ['tag', front('description: !!binary "*"\n'), 3, /./],
]

let folder: string

beforeAll(() => {
  folder = scratch()
  writeFileSync(join(folder, 'good.md'), front('schedule: 0 8 * * *\n'))
  for (const [name, text] of broken) writeFileSync(join(folder, `${name}.md`), text)
  writeFileSync(join(folder, 'when.md'), front('schedule: "every night"\n'))
  symlinkSync('u@host.1:2', join(folder, '.#good.md'))
  writeFileSync(join(folder, '.hidden.md'), 'no report')
  symlinkSync('nowhere', join(folder, 'dangling.md'))
  symlinkSync('loop.md', join(folder, 'loop.md'))
  mkdirSync(join(folder, 'folder.md'))
  symlinkSync('good.md', join(folder, 'linked.md'))
  symlinkSync('/dev/zero', join(folder, 'device.md'))
  execFileSync('mkfifo', [join(folder, 'fifo.md')])
  writeFileSync(join(folder, 'locked.md'), front(''))
  chmodSync(join(folder, 'locked.md'), 0)
})

const listed = () => new Map(listReports(folder).map((report) => [report.name, report]))

describe('an invalid report in the reports folder', () => {
  test.each(broken)('is listed with the error and its line number: %s', (name, _, line, words) => {
    const { problem } = listed().get(name)!
    expect(problem?.message).toMatch(words)
    expect(problem).toMatchObject({ file: join(folder, `${name}.md`), line })
  })

  test.each(['dangling', 'loop', 'folder', 'fifo', 'device'])(
    'is listed as unreadable if it is not a regular file: %s',
    (name) => {
      expect(listed().get(name)?.problem?.message).toMatch(/^The report cannot be read: ./)
    },
  )

  test('does not affect valid reports in the same folder', () => {
    const reports = listed()
    expect(reports.get('good')).toMatchObject({ title: 'T', problem: null })
    expect(reports.get('linked')).toMatchObject({ title: 'T', problem: null })
    expect([...reports.keys()].filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('does not prevent valid reports from being scheduled', () => {
    const config = { ...loadConfig({}, {}), reports: folder }
    expect(allReports(folder).length).toBeGreaterThan(10)
    const told: string[] = []
    const jobs = planJobs(config, allReports(folder), (report) => told.push(report))
    expect(jobs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sync', 'report:good', 'report:mtta-mttr']),
    )
    expect(told).toEqual(['when'])
    expect(() => checkSchedule(config, 0)).toThrow('the report when: invalid cron expression "every night"')
  })

  test('is logged by `faultline start`, which continues to run', async () => {
    const home = scratch()
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ baseUrl: 'http://127.0.0.1:9', reports: folder, schedule: { catchUp: false } }),
    )
    const running = start(['start'], { FAULTLINE_APP_KEY: 'k3y-of-the-test' }, home)
    let log = ''
    running.process.stderr!.on('data', (chunk) => {
      log += chunk
      // A second signal would end the process at once.
      if (log.includes('schedule started') && !running.process.killed) running.process.kill('SIGTERM')
    })
    const { code, err } = await running.ended
    expect(err).toContain('schedule started')
    expect(err).toContain('"report:good"')
    expect(err).toContain('schedule of the report when')
    for (const [name] of broken) expect(err).toContain(`${name}.md`)
    expect(code).toBe(0)
  })

  test('appears in `faultline report list` with file and line', async () => {
    const home = scratch()
    writeFileSync(join(home, 'config.json'), JSON.stringify({ reports: folder }))
    const { code, out, err } = await start(['report', 'list'], {}, home).ended
    expect(out).toContain('alias.md:2: This is not valid YAML')
    expect(out).toContain('fifo.md:1: The report cannot be read')
    expect(err).toBe('')
    expect(code).toBe(1)
  })
})
