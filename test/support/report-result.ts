import type { KpiCard, ReportResult } from '../../src/render/result.ts'
import { columnSpec } from '../../src/render/spec.ts'

/** A hostile title of an alert, with markup, a header, an escape sequence, a direction mark and half a character. */
export const hostile =
  '<img src=x onerror=alert(1)>\r\nBcc: victim@evil.example\r\n\r\n<script>\u001b[31m\u202e\u0000\ud800"\'&'

export const card: KpiCard = {
  label: 'Time to resolve',
  value: [{ text: '5' }, { text: 'h', unit: true }, { text: '47' }, { text: 'min', unit: true }],
  n: 1430,
  interval: [
    [{ text: '5' }, { text: 'h', unit: true }],
    [{ text: '6' }, { text: 'h', unit: true }],
  ],
  change: {
    tone: 'better',
    direction: 'down',
    amount: '12%',
    verdict: 'faster',
    words: '12 % faster',
    note: '',
    previous: [{ text: '6' }, { text: 'h', unit: true }],
  },
  target: { text: 'under 8 h', met: true },
  trend: [],
}

/** The result of a report with hostile text in every field that data or authors can fill. */
export function sample(changes: Partial<ReportResult> = {}): ReportResult {
  return {
    name: 'weekly',
    title: `Weekly ${hostile}`,
    subject: { name: `Weekly ${hostile}`, phrases: [`half ${hostile}`, 'half'] },
    verdict: `Half were resolved within 5\u202fh\u202f47\u202fmin, ${hostile}. Nothing unusual.`,
    kpis: [card],
    source: 'reports/weekly.md',
    frame: {
      timezone: 'Europe/Berlin',
      from: '2026-08-17',
      to: '2026-11-16',
      asOf: '2026-11-21T03:12:00',
      asOfInstant: new Date('2026-11-21T02:12:00Z'),
      label: '17\u00a0Aug – 15\u00a0Nov\u00a02026',
      span: '13 weeks',
      previousLabel: null,
      accounts: null,
      teams: 'All teams',
      severities: 'All severities',
      coverage: '100 % of the period read',
    },
    findings: null,
    ...{ empty: false, stillOpen: null },
    blocks: [
      { kind: 'paragraph', content: [{ kind: 'text', text: `Half were resolved ${hostile}` }] },
      { kind: 'kpis', cards: [card] },
      {
        kind: 'chart',
        title: [{ kind: 'text', text: `By severity ${hostile}` }],
        subtitle: [],
        width: 'full',
        spec: { type: 'bars', x: 'n', y: 'severity', color: null, stack: true, format: 'number' },
        data: {
          name: 'q',
          sql: 'select 1',
          columns: [
            { name: 'severity', type: 'VARCHAR' },
            { name: 'n', type: 'BIGINT' },
          ],
          rows: [
            ['Critical', 9_007_199_254_740_993n],
            [hostile, 2n],
          ],
        },
        rules: [],
      },
      {
        kind: 'table',
        title: [{ kind: 'text', text: 'Open now' }],
        subtitle: [],
        columns: [
          {
            ...columnSpec.parse({ column: 'title', link: 'url', wrap: true }),
            label: `Title ${hostile}`,
            format: 'text',
          },
        ],
        data: {
          name: 'open',
          sql: 'select 1',
          columns: [
            { name: 'title', type: 'VARCHAR' },
            { name: 'url', type: 'VARCHAR' },
          ],
          rows: [
            [hostile, 'javascript:alert(1)'],
            ['Disk full', 'https://service.example/incident/1'],
            ...Array.from({ length: 30 }, (_, index) => [`Row ${index}`, '']),
          ],
        },
        empty: 'None.',
        limit: 50,
      },
    ],
    queries: [],
    verdicts: { columns: [{ name: 'figure', type: 'VARCHAR' }], rows: [] },
    counted: { rules: [], funnel: [{ label: 'included', count: 1430 }] },
    coverage: { share: 1, gaps: [] },
    gates: [{ name: 'age', origin: 'data quality', state: 'warn', message: `Old ${hostile}` }],
    restated: null,
    run: {
      report: 'weekly',
      period_from: '2026-08-17',
      period_to: '2026-11-16',
      timezone: 'Europe/Berlin',
      account: 'all',
      team: 'All teams',
      severity: 'All severities',
      as_of_at: '2026-11-21T02:12:00.000Z',
      definition: 'abc',
      figures: [
        { figure: 'summary.ttr', label: `Time ${hostile}`, format: 'duration', value: 20_820, n: 1430 },
      ],
    },
    warnings: [`3 records did not fit ${hostile}`],
    ...changes,
  }
}
