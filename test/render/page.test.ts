import { createHash } from 'node:crypto'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { ChartSpec } from '../../src/render/charts/index.ts'
import type { Block, QueryColumn, QueryResult, ReportResult, Value } from '../../src/render/result.ts'
import { columnSpec } from '../../src/render/spec.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'

const hostile = '<script>alert(1)</script>"\'&{{ x.y }}[a](javascript:alert(1))\u202e\u001b[31m\u0000'
const plain = columnSpec.parse({ column: 'any' })

function query(columns: Record<string, string>, rows: Value[][], name = 'q'): QueryResult {
  const list: QueryColumn[] = Object.entries(columns).map(([column, type]) => ({ name: column, type }))
  return { name, sql: `select '${hostile}'`, columns: list, rows }
}

function chart(spec: ChartSpec, data: QueryResult): Block {
  return {
    kind: 'chart',
    title: [{ kind: 'text', text: hostile }],
    subtitle: [],
    width: 'full',
    spec,
    data,
    rules: [{ label: 'median', value: 60 }],
  }
}

const weeks = ['2026-10-05', '2026-10-12', '2026-10-19', '2026-10-26']
const line: ChartSpec = {
  type: 'line',
  x: 'week',
  y: ['a', 'b'],
  labels: null,
  band: ['a', 'b'],
  n: 'n',
  small: 10,
  open: 'n',
  scale: 'linear',
  format: 'duration',
}
const data = query(
  { week: 'DATE', a: 'DOUBLE', b: 'DOUBLE', n: 'BIGINT', team: 'VARCHAR' },
  weeks.map((week, i) => [week, i === 1 ? null : 60 * i, 400 * i, BigInt(5 * i), hostile]),
)
const strips = query(
  {
    severity: 'VARCHAR',
    p10: 'DOUBLE',
    p25: 'DOUBLE',
    p50: 'DOUBLE',
    p75: 'DOUBLE',
    p90: 'DOUBLE',
    n: 'BIGINT',
  },
  [
    ['Critical', 1, 60, 300, 900, 9000, 50n],
    [hostile, 0, 0, 1, 2, 3, 4n],
    ['Ok', null, null, null, null, null, 0n],
  ],
)
const specs: [ChartSpec, QueryResult][] = [
  [line, data],
  [{ ...line, scale: 'log' }, data],
  [{ type: 'columns', x: 'week', y: 'n', color: 'team', stack: true, facet: null, format: 'number' }, data],
  [{ type: 'columns', x: 'week', y: 'n', color: 'team', stack: false, facet: null, format: 'number' }, data],
  [{ type: 'columns', x: 'team', y: 'n', color: null, stack: true, facet: null, format: 'number' }, data],
  [{ type: 'columns', x: 'week', y: 'n', color: null, stack: true, facet: 'team', format: 'number' }, data],
  [{ type: 'bars', x: 'n', y: 'team', color: null, format: 'number' }, data],
  [
    {
      type: 'percentiles',
      x: ['p10', 'p25', 'p50', 'p75', 'p90'],
      y: 'severity',
      n: 'n',
      small: 10,
      interval: ['p25', 'p75'],
      target: 'p50',
      open: 'n',
      scale: 'log',
      format: 'duration',
    },
    strips,
  ],
  [
    {
      type: 'percentiles',
      x: ['p10', 'p25', 'p50', 'p75', 'p90'],
      y: 'severity',
      n: 'n',
      small: 10,
      interval: null,
      target: null,
      open: null,
      scale: 'linear',
      format: 'duration',
    },
    strips,
  ],
  [{ type: 'histogram', x: ['p10', 'p25'], y: 'n', scale: 'linear', format: 'duration' }, strips],
  [{ type: 'histogram', x: ['p10', 'p25'], y: 'n', scale: 'log', format: 'duration' }, strips],
  [
    { type: 'heatmap', x: 'hour', y: 'weekday', color: 'n', outline: 'is_work', format: 'number' },
    query({ hour: 'BIGINT', weekday: 'BIGINT', n: 'BIGINT', is_work: 'BOOLEAN' }, [
      [9n, 1n, 4n, true],
      [23n, 7n, 1n, false],
      [24n, 8n, 9n, true],
    ]),
  ],
  [
    {
      type: 'survival',
      x: 'p10',
      y: 'p25',
      band: ['low', 'high'],
      censored: 'n',
      scale: 'log',
      format: 'duration',
    },
    query({ p10: 'DOUBLE', p25: 'DOUBLE', low: 'DOUBLE', high: 'DOUBLE', n: 'BIGINT' }, [
      [60, 0.8, 0.7, 0.9, 0n],
      [3600, 0.2, 0.1, 0.3, 2n],
    ]),
  ],
  [
    {
      type: 'control',
      x: 'week',
      y: 'a',
      trend: null,
      n: 'n',
      small: 10,
      scale: 'linear',
      format: 'duration',
    },
    data,
  ],
  [
    { type: 'control', x: 'week', y: 'b', trend: null, n: null, small: 10, scale: 'log', format: 'duration' },
    data,
  ],
]

function result(blocks: readonly Block[], changes: Partial<ReportResult> = {}): ReportResult {
  return {
    name: 'r',
    title: hostile,
    source: 'reports/r.md',
    findings: null,
    frame: {
      timezone: 'Europe/Berlin',
      from: '2026-10-12',
      to: '2026-10-26',
      asOf: '2026-11-01T11:30:00',
      asOfInstant: new Date('2026-11-01T10:30:00Z'),
      label: '12 Oct – 25 Oct 2026',
      span: '2 weeks',
      previousLabel: '28 Sep – 11 Oct 2026',
      accounts: hostile,
      teams: hostile,
      severities: 'All severities',
      coverage: 'data since 1 Jan 2026',
    },
    verdict: '',
    kpis: blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : [])),
    coverage: {
      share: 0.5,
      gaps: [{ from: '2026-10-12T00:00:00', to: '2026-10-13T00:00:00' }],
      readAt: null,
    },
    gates: [
      { name: 'late', origin: 'report', state: 'error', message: hostile },
      { name: 'age', origin: 'data quality', state: 'warn', message: 'The data is 3 days old.' },
      { name: 'fine', origin: 'report', state: 'ok', message: 'fine is not said' },
    ],
    restated: null,
    run: {
      report: 'r',
      period_from: '2026-01-01',
      period_to: '2026-04-02',
      timezone: 'UTC',
      account: 'all',
      team: 'All teams',
      severity: 'All severities',
      as_of_at: '2026-04-05T00:00:00.000Z',
      definition: 'd',
      figures: [],
    },
    empty: false,
    stillOpen: null,
    blocks,
    queries: [data],
    warnings: [hostile],
    verdicts: { columns: [], rows: [] },
    counted: {
      rules: [{ term: 'Rule', text: 'text' }],
      funnel: [{ label: 'counted', count: 12 }],
      sensitivity: [
        { measure: 'time to ack', rule: 'exclude', isChosen: true, n: 12, median: 600, mean: null },
        { measure: 'time to ack', rule: hostile, isChosen: false, n: 14, median: 300, mean: 60 },
      ],
    },
    ...changes,
  }
}

const everything: Block[] = [
  {
    kind: 'paragraph',
    content: [
      { kind: 'value', parts: [{ text: hostile }], tone: 'better' },
      { kind: 'link', href: 'javascript:alert(1)', content: [{ kind: 'text', text: 'bad' }] },
    ],
  },
  { kind: 'heading', level: 2, content: [{ kind: 'code', text: hostile }] },
  { kind: 'list', ordered: false, items: [[{ kind: 'strong', content: [{ kind: 'text', text: 'x' }] }]] },
  {
    kind: 'kpis',
    cards: [
      {
        label: hostile,
        value: [{ text: '9' }, { text: 'min', unit: true }],
        n: 12,
        interval: [[{ text: '8' }], [{ text: '10' }]],
        target: { text: 'at most 15 min', met: false },
        trend: weeks.map((at, value) => ({ at, value })),
        change: {
          tone: 'worse',
          direction: 'up',
          amount: '10 %',
          verdict: 'more',
          words: '10 % slower',
          note: '',
          previous: [{ text: '8' }],
        },
      },
      {
        label: 'Quiet',
        value: [{ text: '5' }],
        n: null,
        interval: null,
        target: { text: 'at least 4', met: true, isNoise: true },
        trend: [],
        change: {
          tone: 'same',
          direction: 'none',
          amount: '',
          verdict: 'no clear change',
          words: '',
          note: '−20 % to +31 %',
          previous: [{ text: '6' }],
        },
      },
    ],
  },
  ...specs.map(([spec, rows]) => chart(spec, rows)),
  {
    kind: 'table',
    title: [],
    subtitle: [],
    empty: 'none',
    limit: 2,
    data: query({ t: 'VARCHAR', u: 'VARCHAR', n: 'BIGINT' }, [
      [hostile, 'https://ok.invalid/a?b=1&c=2', 3n],
      [hostile, 'javascript:alert(1)', 4n],
      ['third', '', 5n],
    ]),
    columns: [
      { ...plain, column: 't', label: hostile, format: 'text', link: 'u', wrap: true },
      { ...plain, column: 'n', label: 'n', format: 'number', bar: true, priority: 2 },
      { ...plain, column: 't', label: 's', format: 'text', badge: true },
    ],
  },
]

describe('a page', () => {
  const page = toHtml(result(everything))
  const outside = page.replace(/<style>.*?<\/style>/s, '')

  test('allows its one style sheet and nothing else', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)![1]!
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;;`)
    expect(page.match(/<style>/g)).toHaveLength(1)
    expect(style).not.toMatch(/url\(|@import|<\//)
  })

  test('holds no script, no inline style, no handler, no frame, nothing to load', () => {
    const tags = [...outside.matchAll(/<([a-z0-9]+)((?:\s[^<>]*)?)>/g)]
    expect(new Set(tags.map(([, tag]) => tag)).size).toBeGreaterThan(20)
    for (const [, tag, attributes] of tags) {
      expect(['script', 'iframe', 'img', 'object', 'embed', 'form', 'base', 'link']).not.toContain(tag)
      expect(attributes!.replace(/"[^"]*"/g, '""')).not.toMatch(/\s(style|src|srcset|on\w+|xlink:href)=/)
    }
    expect([...outside.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      'https://ok.invalid/a?b=1&amp;c=2',
    ])
  })

  test('shows hostile text as text', () => {
    expect(outside).not.toMatch(/<script/i)
    expect(outside).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{ x.y }}[a](javascript:alert(1))\ufffd\ufffd[31m\ufffd',
    )
    expect(outside).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/)
  })

  test('shows its scope at the top, and at the end how it was counted', () => {
    const text = outside.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    for (const fact of [
      '12 Oct – 25 Oct 2026',
      '(2 weeks)',
      'compared with 28 Sep – 11 Oct 2026',
      'Europe/Berlin',
      'data as of 1 Nov 2026 11:30',
      'data since 1 Jan 2026',
    ])
      expect(text).toContain(fact)
    expect(text.indexOf('How this was counted')).toBeGreaterThan(text.indexOf('2 of 3 rows; q.csv has all'))
    expect(text).toContain('counted 12')
    expect(text).toContain('time to ack exclude (used here) 12 10 min –')
  })

  test('shows failures and warnings above every figure', () => {
    const banners = [...page.matchAll(/<p class="(banner[^"]*)">(.*?)<\/p>/g)].map((match) => match.slice(1))
    expect(banners[0]).toEqual(['banner failed', expect.stringContaining('<b>Failed:</b> &lt;script&gt;')])
    expect(banners[1]).toEqual(['banner', '<b>Warning:</b> The data is 3 days old.'])
    expect(page).not.toContain('fine is not said')
    expect(page).toContain(
      '50\u202f% of the period was read; not read: 12\u00a0Oct\u00a000:00 – 13\u00a0Oct\u00a000:00',
    )
  })

  test('lists figures that have changed since an earlier run, and why', () => {
    const reasons = [
      { reason: 'closed since', incidents: 5, examples: ['INC-1', hostile] },
      { reason: 'deleted', incidents: 1, examples: ['INC-3'] },
    ]
    const figure = (label: string, now: string) => ({
      ...{ label, before: [{ text: '9' }], now: [{ text: now }], nBefore: 12, nNow: null, reasons },
    })
    const restated: ReportResult['restated'] = {
      asOf: '2026-10-30T06:00:00',
      figures: [
        figure(hostile, '8'),
        figure('b', '9'),
        ...['c', 'd', 'e'].map((label) => figure(label, '7')),
      ],
      unchanged: 4,
      reasons,
    }
    const again = toHtml(result(everything, { restated }))
    expect(again).toContain('<h3>Restated since 30\u00a0Oct\u00a006:00</h3>')
    expect(again).toContain('9 (n 12)</td><td class="num">8</td><td>5 closed since: INC-1, &lt;script&gt;')
    expect(again).toContain('1 deleted: INC-3</td>')
    expect(again).toContain('4 figures are unchanged.')
    expect(again.replace(/<style>.*?<\/style>/s, '')).not.toMatch(/<script/i)
    // At the head too, what looks different, and in the terminal.
    const head = again.slice(again.indexOf('Restated since'), again.indexOf('How this was counted'))
    expect(head).toContain('was 9, is 8 (5 closed since: INC-1, &lt;script&gt;')
    expect(head).not.toContain('b was 9')
    expect(head).toContain('d was 9, is 7 (')
    expect(head).toContain('; 1 more figure.')
    const terminal = toTerminal(result(everything, { restated }), { width: 80, color: false })
    expect(terminal.replace(/\s+/g, ' ')).toContain('Restated since 30 Oct 06:00: ')
    expect(terminal.replace(/\s+/g, ' ')).toContain('1 more figure.')
  })

  test('a period without incidents still shows the tables that have rows, and nothing else', () => {
    const table = everything.at(-1)!
    const heading: Block = { kind: 'heading', level: 2, content: [{ kind: 'text', text: 'Open now' }] }
    const quiet = toHtml(result([...everything.slice(0, -1), heading, table], { empty: true }))
    expect(quiet).toContain('No incidents in this period')
    expect(quiet).toContain('<h2>Open now</h2>')
    expect(quiet).toContain('2 of 3 rows; q.csv has all')
    expect(quiet).not.toMatch(/<figure class="chart">|<dl class="kpis">/)
    expect(quiet.match(/<h2>/g)).toHaveLength(2)
  })

  test('every chart is drawn twice, with a sentence and its data, and without broken numbers', () => {
    expect(page.match(/<svg class="wide"/g)).toHaveLength(specs.length)
    expect(page.match(/<svg class="narrow"/g)).toHaveLength(specs.length)
    expect(page.match(/role="img" aria-label="[^"]{10,}"/g)).toHaveLength(specs.length * 2)
    expect(page.match(/<figure class="chart">/g)).toHaveLength(specs.length)
    expect(page.match(/<summary>Data<\/summary>/g)).toHaveLength(specs.length)
    expect(outside).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(outside).not.toMatch(/(width|height|r)="-/)
  })

  test('a card shows whether a change is more than noise, in colour only when it is', () => {
    expect(page).toContain('<b class="worse">▲ 10 % more, worse</b><small class="sure">before 8')
    expect(page).toContain('<span>95\u00a0% sure:</span><span>8 – 10</span><span>(12\u00a0incidents)</span>')
    expect(page).toContain('no clear change<small class="sure">before 6 (−20 % to +31 %)</small></dd>')
    expect(page).toContain('<dd class="extra worse">✗ at most 15 min</dd>')
    expect(page).toContain('<dd class="extra">at least 4: could be either</dd>')
  })

  test('marks incomplete buckets and few observations', () => {
    expect(page).toContain('not over yet')
    expect(page).toContain('class="stroke running"')
    expect(page).toContain('class="dot few f0"')
    expect(page).toContain('n 4 !')
    expect(page).toContain('previous period')
  })

  test.each(
    specs.map(([spec, rows], index) => [index, spec.type, chart(spec, { ...rows, rows: [] })] as const),
  )('chart %i (%s) without rows says so', (_, __, block) => {
    const empty = toHtml(result([block]))
    expect(empty).toContain('Nothing to draw in this period.')
    expect(empty).not.toMatch(/NaN|Infinity/)
  })

  test('a single row is enough for every chart', () => {
    const blocks = specs.map(([spec, rows]) => chart(spec, { ...rows, rows: rows.rows.slice(0, 1) }))
    expect(toHtml(result(blocks)).replace(/<style>.*?<\/style>/s, '')).not.toMatch(
      /NaN|Infinity|=-[\d.]+ height|height=-/,
    )
  })

  test('is the same bytes again', () => expect(toHtml(result(everything))).toBe(page))
})

/** Medians of 12 incidents, of 7, of 2, and of none. */
const measured: Block = {
  kind: 'table',
  title: [],
  subtitle: [],
  empty: 'none',
  limit: 9,
  data: query({ team: 'VARCHAR', s: 'DOUBLE', low: 'DOUBLE', high: 'DOUBLE', n: 'BIGINT' }, [
    ['a team that has many', 60, 30, 90, 12n],
    ['few', 120, 30, 600, 7n],
    ['two', 180, 30, 600, 2n],
    ['none', null, null, null, 0n],
  ]),
  columns: [
    { ...plain, column: 'team', label: 'Team', format: 'text' },
    { ...plain, column: 's', label: 'Median', format: 'duration', interval: ['low', 'high'], n: 'n' },
  ],
}

test('below a figure of a table stands what it rests on; few are marked, and two have no interval', () => {
  const page = toHtml(result([measured])).replace(/[\u202f\u00a0]/g, ' ')
  expect(page).toContain('<td class="num">1 min<small class="basis">30 s – 1 min 30 s, n 12</small></td>')
  expect(page).toContain('<span class="rare">2 min !</span><small class="basis">30 s – 10 min, n 7</small>')
  expect(page).toContain('<span class="rare">3 min !</span><small class="basis">n 2</small>')
  expect(page).toContain('<td class="num">–</td>')
})

describe('a terminal', () => {
  test('gets no escape sequence from data, and none at all without colour', () => {
    const plain = toTerminal(result(everything), { width: 80, color: false })
    expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(plain).toContain('<script>alert(1)</script>')
    const colored = toTerminal(result(everything), { width: 80, color: true })
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain)
    expect(colored).not.toBe(plain)
  })

  test.each([60, 100, 140])('tables fit %i columns', (width) => {
    const table = everything.at(-1)!
    const lines = toTerminal(result([table]), { width, color: false }).split('\n')
    const start = lines.findIndex((line) => line.includes('third') || line.includes('2 of 3'))
    for (const line of lines.slice(start - 3, start)) expect(stringWidth(line)).toBeLessThanOrEqual(width)
  })

  test('a card shows the interval of its change as the page does', () => {
    const lines = toTerminal(result(everything), { width: 120, color: false })
    expect(lines).toContain('no clear change, before 6 (−20 % to +31 %)')
  })

  test('a table says what its figures rest on where there is room, and marks few anyway', () => {
    expect(toTerminal(result([measured]), { width: 100, color: false })).toContain(
      '1 min (30 s – 1 min 30 s, n 12)',
    )
    const narrow = toTerminal(result([measured]), { width: 24, color: false })
    expect(narrow).toMatch(/1 min\n/)
    expect(narrow).toContain('2 min !')
  })

  test('notes an empty period', () => {
    const empty = toTerminal(result(everything, { empty: true }), { width: 80, color: false })
    expect(empty).toContain('No incidents in this period, and none is open.')
  })
})

test('JSON keeps large integers exact', () => {
  const exact = query({ n: 'BIGINT', m: 'BIGINT', t: 'TIMESTAMP WITH TIME ZONE' }, [
    [2n ** 60n, 7n, new Date(0)],
  ])
  expect(JSON.parse(toJson(result([], { queries: [exact] }))).results.q).toEqual([
    { n: '1152921504606846976', m: 7, t: '1970-01-01T00:00:00.000Z' },
  ])
})
