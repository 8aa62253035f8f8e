import type { Block, ReportResult, TableBlock } from '../../src/render/result.ts'
import { columnSpec } from '../../src/render/spec.ts'
import { sample } from '../support/report-result.ts'
import { chart, data, hostile, query, specs, weeks } from './charts/odd-charts.ts'

/** A table column without interval, change or other extras. */
export const plain = columnSpec.parse({ column: 'any' })

const frame: ReportResult['frame'] = {
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
}

const counted: ReportResult['counted'] = {
  rules: [{ term: 'Rule', text: 'text' }],
  funnel: [{ label: 'included', count: 12 }],
  sensitivity: [
    { measure: 'time to ack', rule: 'exclude', isChosen: true, n: 12, median: 600, mean: null },
    { measure: 'time to ack', rule: hostile, isChosen: false, n: 14, median: 300, mean: 60 },
  ],
}

/** A report result with hostile text in every field that data or authors can fill. */
export function result(blocks: readonly Block[], changes: Partial<ReportResult> = {}): ReportResult {
  return sample({
    name: 'r',
    title: hostile,
    subject: { name: hostile, phrases: [hostile] },
    source: 'reports/r.md',
    frame,
    verdict: '',
    kpis: blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : [])),
    coverage: {
      share: 0.5,
      gaps: [{ from: '2026-10-12T00:00:00', to: '2026-10-13T00:00:00' }],
    },
    gates: [
      { name: 'late', origin: 'report', state: 'error', message: hostile },
      { name: 'age', origin: 'data quality', state: 'warn', message: 'The data is 3 days old.' },
      { name: 'fine', origin: 'report', state: 'ok', message: 'fine is not said' },
    ],
    blocks,
    queries: [data],
    warnings: [hostile],
    counted,
    ...changes,
  })
}

export const everything: Block[] = [
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
          amount: '10%',
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
          note: '−20% to +31%',
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

/** A table with medians of 12, 7, 2 and 0 incidents. */
export const measured: TableBlock = {
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
