import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { summaryOf } from '../../src/render/summary.ts'
import { listedFiles } from '../../src/report/served-files.ts'
import { keepPage, keptPages, writeIndex } from '../../src/site/history.ts'
import { expired, prune } from '../../src/site/prune.ts'
import { folderOfEachTest } from '../support/folder.ts'
import { sample } from '../support/report-result.ts'

const DAY = 86_400_000
const now = Date.parse('2026-11-21T06:30:00Z')
const out = folderOfEachTest()

/** Stores the page of a period. Its data ends on the last day of the period. */
function keep(name: string, to: string, changes: Partial<ReportResult['frame']> = {}, title = name) {
  const { frame } = sample()
  const result = sample({
    name,
    title,
    frame: { ...frame, from: '2026-01-01', to, label: `up to ${to}`, asOfInstant: new Date(to), ...changes },
  })
  return keepPage(out(), `<p>${name} ${to}</p>`, summaryOf(result), now)
}

const index = () => readFileSync(join(out(), 'index.html'), 'utf8')

describe('the index of report pages', () => {
  test('lists each report once, with the newest period first', () => {
    keep('b', '2026-03-01')
    keep('a', '2026-02-01')
    keep('b', '2026-02-01')
    const links = [...index().matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)
    expect(links).toEqual([
      'history/a/2026-01-01..2026-02-01.html',
      'history/b/2026-01-01..2026-03-01.html',
      'history/b/2026-01-01..2026-02-01.html',
    ])
    for (const link of links) expect(existsSync(join(out(), link))).toBe(true)
    expect(index()).toContain('1 earlier report<')
  })

  test('shows how old the data is', () => {
    keep('a', '2026-11-20')
    expect(index().replaceAll('\u202f', ' ').replaceAll('\u00a0', ' ')).toContain(
      'data as of 20 Nov 01:00 (1 d 7 h before this page was generated)',
    )
  })

  test('shows only the newest page for each period of a report', () => {
    keep('a', '2026-02-01', {}, 'first')
    keep('a', '2026-02-01', {}, 'second')
    keep('a', '2026-02-01', { teams: 'Payments' }, 'payments')
    expect(
      keptPages(out())
        .map(({ summary }) => summary.title)
        .sort(),
    ).toEqual(['payments', 'second'])
    expect(index()).toMatch(/<br ?\/>Payments</)
    expect(index()).toMatch(/<b><a[^>]*>second</)
    keep('a', '2026-03-01', { accounts: 'EMEA, APAC' }, 'both')
    expect(index()).toMatch(/<b><a[^>]*>both</)
    expect(index()).toContain('>EMEA, APAC</small>')
  })

  test('shows hostile titles as text and allows no scripts', () => {
    keepPage(out(), 'page', summaryOf(sample()), now)
    const html = index()
    expect(html).toMatch(/default-src &#39;none&#39;; style-src &#39;sha256-/)
    expect(html).not.toMatch(/<script|<img|<[^>]*\s(on\w+|src)=|style="/i)
    expect(html).toContain('&lt;script&gt;')
    expect(html.replaceAll('\n', '')).not.toMatch(/[\p{Cs}\u0000-\u001f\u202a-\u202e]/u)
  })

  test('states that no reports have been delivered yet', () => {
    writeIndex(out(), now)
    expect(index()).toContain('No reports have been delivered yet.')
  })

  test.each(['..', '.hidden', 'a b', 'ä#?%', 'a"b'])(
    'links to a file inside the output folder for a report named %j',
    (name) => {
      const path = keep(name, '2026-02-01')
      expect(path).toMatch(/^history\/[^/]+\/[^/]+$/)
      expect(existsSync(join(out(), path))).toBe(true)
      const [, href] = /href="([^"]*)"/.exec(index())!
      expect(decodeURIComponent(href!)).toBe(path)
      expect(readdirSync(out()).sort()).toEqual(['.served-files', 'history', 'index.html'])
      expect([...listedFiles(out())].sort()).toEqual([path, 'index.html'])
    },
  )

  test('excludes damaged files and files of other programs', () => {
    keep('a', '2026-02-01')
    const folder = join(out(), 'history/a')
    writeFileSync(join(folder, '2026-01-01..2026-03-01.json'), '{"title":"no page"}')
    writeFileSync(join(folder, '2026-01-01..2026-04-01.json'), 'not JSON')
    writeFileSync(join(folder, '2026-01-01..2026-04-01.html'), 'x')
    writeFileSync(join(folder, 'notes.json'), '{}')
    symlinkSync('/', join(out(), 'history/root'))
    const whole = JSON.parse(readFileSync(join(out(), `${keptPages(out())[0]!.path}.json`), 'utf8'))
    const spoilt = [
      { gates: [null] },
      { gates: 3 },
      { warnings: [{}] },
      { teams: { a: 1 } },
      { accounts: 5 },
      { period: { ...whole.period, timezone: 'Nowhere/City' } },
      { period: { ...whole.period, label: null } },
      { period: { ...whole.period, timezone: undefined } },
      { as_of: 'yesterday' },
      { lead: null },
      { lead: [{}] },
      { incomplete: {} },
    ]
    for (const [index, change] of spoilt.entries()) {
      const path = join(folder, `2026-01-${10 + index}..2026-05-01`)
      writeFileSync(`${path}.html`, 'x')
      writeFileSync(`${path}.json`, JSON.stringify({ ...whole, ...change }))
    }
    expect(keptPages(out())).toHaveLength(1)
    writeIndex(out(), now)
    expect(prune(out(), { runs: 1 }, now)).toEqual([])
  })
})

describe('retention', () => {
  test('keeps all files if no limits are set', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.integer({ min: 0, max: 1e12 }) })), (outputs) => {
        expect(expired(outputs, {}, 1e13)).toEqual([])
      }),
    )
  })

  test('keeps at most `runs` pages and removes pages older than `days`', () => {
    const limits = fc.record({
      days: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      runs: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
    })
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 20 })
    fc.assert(
      fc.property(times, limits, (days, retention) => {
        const outputs = days.map((day) => ({ at: now - day * DAY }))
        const gone = expired(outputs, retention, now)
        const kept = outputs.filter((output) => !gone.includes(output)).sort((a, b) => b.at - a.at)
        if (outputs.length > 0) expect(kept[0]?.at).toBe(Math.max(...outputs.map(({ at }) => at)))
        expect(kept.length).toBeLessThanOrEqual(retention.runs ?? outputs.length)
        for (const { at } of kept.slice(1))
          expect(now - at).toBeLessThanOrEqual((retention.days ?? 1e6) * DAY)
        for (const { at } of gone) expect(at).toBeLessThan(kept.at(-1)!.at)
      }),
    )
  })

  test('removes old pages, but keeps the newest page of each report', () => {
    for (const month of ['02', '03', '04']) keep('a', `2026-${month}-01`)
    keep('old', '2020-02-01')
    expect(prune(out(), { days: 250 }, Date.parse('2026-11-21')).sort()).toEqual([
      'history/a/2026-01-01..2026-02-01.html',
      'history/a/2026-01-01..2026-03-01.html',
    ])
    expect(keptPages(out()).map(({ path }) => path)).toEqual([
      'history/a/2026-01-01..2026-04-01',
      'history/old/2026-01-01..2020-02-01',
    ])
    expect(readdirSync(join(out(), 'history/a')).sort()).toEqual([
      '2026-01-01..2026-04-01.html',
      '2026-01-01..2026-04-01.json',
    ])
  })

  test('removes an old folder only if its manifest identifies an export', () => {
    const manifest = JSON.stringify({
      faultline: '1',
      exports: [{ files: ['a.csv', 'b/month=1/data.parquet'] }],
    })
    const folder = (name: string, days: number, text: string | null = manifest, beside = 'a.csv') => {
      mkdirSync(join(out(), name, 'b'), { recursive: true })
      writeFileSync(join(out(), name, beside), '')
      const file = join(out(), name, text === null ? 'file.json' : 'manifest.json')
      writeFileSync(file, text ?? '{}')
      utimesSync(file, (now - days * DAY) / 1_000, (now - days * DAY) / 1_000)
    }
    folder('export-2026-09', 80)
    folder('export-2026-10', 50)
    folder('export', 20)
    folder('export-mine', 300, null)
    folder('export-plugin', 300, '{"manifest_version":3,"name":"of a browser"}')
    folder('export-2025', 300, manifest, 'thesis.md')
    folder('exports', 300)
    folder('mtta-mttr', 300)
    writeFileSync(join(out(), 'faultline.duckdb'), '')
    const elsewhere = mkdtempSync(join(tmpdir(), 'faultline-elsewhere-'))
    writeFileSync(join(elsewhere, 'manifest.json'), manifest)
    symlinkSync(elsewhere, join(out(), 'export-link'))
    expect(prune(out(), { runs: 2 }, now)).toEqual(['export-2026-09'])
    expect(prune(out(), { days: 1 }, now)).toEqual(['export-2026-10'])
    expect(prune(out(), { days: 1, runs: 1 }, now + 1_000 * DAY)).toEqual([])
    expect(readdirSync(out()).sort()).toEqual([
      'export',
      'export-2025',
      'export-link',
      'export-mine',
      'export-plugin',
      'exports',
      'faultline.duckdb',
      'mtta-mttr',
    ])
    expect(existsSync(join(elsewhere, 'manifest.json'))).toBe(true)
    rmSync(elsewhere, { recursive: true })
  })

  test('ignores an output folder that does not exist', () => {
    expect(prune(join(out(), 'none'), { days: 1 }, now)).toEqual([])
  })
})
