import { describe, expect, test } from 'vitest'
import { ReportError } from '../../../src/errors.ts'
import { parseReport } from '../../../src/report/parse/parse.ts'

const report = (body: string, front = 'title: T') => `---\n${front}\n---\n${body}`
const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`

function mistake(text: string): ReportError {
  try {
    parseReport(text, 'r.md')
  } catch (error) {
    if (error instanceof ReportError) return error
    throw error
  }
  throw new Error('no mistake was found')
}

test('a report file is parsed into front matter, queries and blocks, in order', () => {
  const text = report(
    `# One *two*\nText **{{ q.ttr | duration }}**.\n\n- a\n- b {{ q.n }}\n\n${fence('sql q', 'select 1 as n,\n 2 as ttr')}${fence('chart', 'type: line\ntitle: "{{ q.n | number }} seen"\ndata: q\nx: week\ny: n')}`,
    'title: T\nparams: { period: 4w }\nschedule: "0 8 * * MON"',
  )
  const { name, front, queries, pieces } = parseReport(text, 'reports/some-name.md')
  expect(name).toBe('some-name')
  expect(front).toMatchObject({ title: 'T', schedule: '0 8 * * MON', params: { period: '4w' } })
  expect(queries).toEqual([
    { name: 'q', sql: 'select 1 as n,\n 2 as ttr\n', at: { file: 'reports/some-name.md', line: 13 } },
  ])
  expect(pieces.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'list', 'chart'])
  expect(pieces[3]).toMatchObject({
    body: { y: ['n'], scale: 'linear' },
    title: [
      [
        { kind: 'tag', tag: { query: 'q', column: 'n' } },
        { kind: 'text', text: ' seen' },
      ],
    ],
  })
})

test('Windows line endings and a byte order mark in a report file are ignored', () => {
  const text = report(fence('sql q', 'select 1'))
  expect(parseReport(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'r.md')).toEqual(parseReport(text, 'r.md'))
})

test('a line break within a paragraph of a report does not change the parsed text', () => {
  const content = (text: string) => {
    const [piece] = parseReport(report(text), 'r.md').pieces
    return JSON.stringify(piece, (key, value) => (key === 'at' ? undefined : value))
  }
  const words = 'Half were closed in {{ q.ttr }}; *of {{ q.n }} (a part).* Then {{ q.m }} came.'
  for (const broken of ['; ', ' (', '.* ', 'of {{', ' closed', ' came'])
    expect(content(words.replace(broken, broken.replace(' ', '\n')))).toBe(content(words))
})

describe('parsing a report fails with the line number for', () => {
  const chart = (from: string, to: string) =>
    fence('chart', 'type: line\ntitle: T\ndata: q\nx: week\ny: n'.replace(from, to))
  test.each<[string, string, number, RegExp, RegExp?]>([
    ['no front matter', 'Hello', 1, /front matter/],
    ['no title', report('', 'schedule: x'), 2, /title/],
    ['an unknown front matter key', report('', 'title: T\ntiming: now'), 3, /"timing"/],
    ['an unknown parameter', report('', 'title: T\nparams:\n  perod: 4w'), 4, /"perod"/, /"period"/],
    ['a wrong period', report('', 'title: T\nparams: { period: soon }'), 3, /not a period/],
    ['broken YAML', report('', 'title: "T'), 2, /not valid YAML/],
    ['an unknown kind of block', fence('chrt', ''), 4, /"chrt"/, /"chart"/],
    ['a block without a kind', fence('', 'x'), 4, /kind/],
    ['a query without a name', fence('sql', 'select 1'), 4, /name/],
    [
      'a repeated query name',
      fence('sql q', 'select 1') + fence('sql q', 'select 2'),
      7,
      /already used or reserved/,
    ],
    ['a reserved query name', fence('sql scoped_incidents', 'select 1'), 4, /already used or reserved/],
    ['an unknown key of a chart', chart('line', 'columns\ncolour: severity'), 6, /"colour"/, /"color"/],
    ['an unknown chart type', chart('line', 'lines'), 5, /"lines"/, /"line"/],
    ['a chart type unlike any known type', chart('line', 'pie'), 5, /"pie"/, /line, columns, bars/],
    [
      'a key of another chart type',
      chart('line', 'bars\nscale: log'),
      6,
      /Unknown key "scale"/,
      /^(?!.*Did you mean "scale").*color/s,
    ],
    ['a missing key of a chart', chart('\ny: n', ''), 5, /"y" is missing/],
    ['a misspelled required key of a chart', chart('x: week', 'xx: week'), 8, /Unknown key "xx"/, /"x"/],
    [
      'an invalid value of a KPI',
      fence('kpi', '- label: A\n  value: q.n\n  format: durations'),
      7,
      /0\.format: invalid value "durations"/,
      /"duration"/,
    ],
    [
      'an unknown key of a KPI',
      fence('kpi', '- label: A\n  value: q.n\n  format: number\n  beter: lower'),
      8,
      /"beter"/,
      /"better"/,
    ],
    ['a kpi block that is not a list', fence('kpi', 'label: A\nvalue: q.n'), 5, /must be a list/, /"- "/],
    ['a kpi block that is empty', fence('kpi', ''), 5, /must be a list/, /"- "/],
    ['an unknown format in a tag', 'A\nb {{ q.n | duratoin }}', 5, /"duratoin"/, /"duration"/],
    ['an invalid tag', '{{ q }}', 4, /form/],
    [
      'an unknown format in a title',
      chart('title: T', 'title: "{{ q.n | nmber }}"'),
      6,
      /"nmber"/,
      /"number"/,
    ],
    ['an image', '![x](https://a.invalid/b.png)', 4, /image/],
    ['a link that is not https', '[x](http://a.invalid)', 4, /https/],
    ['a nested list', '- a\n  - b', 5, /list/],
    ['a Markdown quote', '> a', 4, /blockquote/],
  ])('%s', (_, body, line, message, next) => {
    const error = mistake(/^(---|Hello)/.test(body) ? body : report(body))
    expect(error.message).toMatch(message)
    expect(error).toMatchObject({ file: 'r.md', line, exitCode: 1 })
    if (next) expect(error.next).toMatch(next)
  })
})

test('HTML in a report is treated as text, not as markup', () => {
  const { pieces } = parseReport(report('<script>alert(1)</script> <b>x</b>'), 'r.md')
  expect(JSON.stringify(pieces)).toContain('<script>alert(1)</script>')
  expect(pieces[0]?.kind).toBe('paragraph')
})
