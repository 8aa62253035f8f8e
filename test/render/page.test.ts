import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Block, ReportResult, Value } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { chart, hostile, specs } from './charts/odd-charts.ts'
import { everything, measured, result } from './odd-page.ts'

const page = toHtml(result(everything))
const outside = page.replace(/<style>.*?<\/style>/s, '')

describe('a report page', () => {
  test('allows only its own style sheet in its content security policy', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)![1]!
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;;`)
    expect(page.match(/<style>/g)).toHaveLength(1)
    expect(style).not.toMatch(/url\(|@import|<\//)
  })

  test('contains no scripts, event handlers or external resources', () => {
    const tags = [...outside.matchAll(/<([a-z0-9]+)((?:\s[^<>]*)?)>/g)]
    expect(new Set(tags.map(([, tag]) => tag)).size).toBeGreaterThan(20)
    for (const [, tag, attributes] of tags) {
      expect(['script', 'iframe', 'img', 'object', 'embed', 'form', 'base', 'link']).not.toContain(tag)
      expect(attributes!.replace(/"[^"]*"/g, '""')).not.toMatch(/\s(style|src|srcset|on\w+|xlink:href)=/)
    }
    expect([...outside.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      '#main',
      'https://ok.invalid/a?b=1&amp;c=2',
    ])
  })

  test('escapes hostile text from the service and from report authors', () => {
    expect(outside).not.toMatch(/<script/i)
    expect(outside).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{ x.y }}[a](javascript:alert(1))\ufffd\ufffd[31m\ufffd',
    )
    expect(outside).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/)
  })

  test('has identical bytes if rendered twice', () => expect(toHtml(result(everything))).toBe(page))
})

describe('the content of a report page', () => {
  test('states period, time zone and date of the data, and ends with the methodology', () => {
    const text = outside.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    for (const fact of [
      '12 Oct – 25 Oct 2026',
      'compared with the 2 weeks before',
      'Europe/Berlin',
      'data as of 1 Nov 11:30',
      'data since 1 Jan 2026',
    ])
      expect(text).toContain(fact)
    expect(text.indexOf('How these figures are calculated')).toBeGreaterThan(
      text.indexOf('All 3 rows: q.csv'),
    )
    expect(text).toContain('included 12')
    expect(text).toContain('time to ack acknowledged incidents (used here) 12 10 min –')
  })

  test('shows failed gates and warnings as banners, but not gates that passed', () => {
    const banners = [...page.matchAll(/<p class="(banner[^"]*)">(.*?)<\/p>/g)].map((match) => match.slice(1))
    expect(banners[0]).toEqual(['banner failed', expect.stringContaining('<b>Failed:</b> &lt;script&gt;')])
    expect(banners[1]).toEqual(['banner', '<b>Warning:</b> The data is 3 days old.'])
    expect(page).not.toContain('fine is not said')
    expect(page).toContain('; missing: 12\u00a0Oct\u00a000:00 – 13\u00a0Oct\u00a000:00')
  })

  test('lists figures that changed since an earlier run, with the reasons', () => {
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
    }
    const again = toHtml(result(everything, { restated }))
    expect(again).toContain('<h3>Changed since the report of 30\u00a0Oct\u00a006:00</h3>')
    expect(again).toContain('9 (n 12)</td><td class="num">8</td><td>5 closed since: INC-1, &lt;script&gt;')
    expect(again).toContain('1 deleted: INC-3</td>')
    expect(again).toContain('4 figures are unchanged.')
    expect(again.replace(/<style>.*?<\/style>/s, '')).not.toMatch(/<script/i)
    // The top of the page and the terminal list only figures whose displayed text differs.
    const head = again.slice(
      again.indexOf('Changed since'),
      again.indexOf('How these figures are calculated'),
    )
    expect(head).toContain('9 → 8 (5 closed since: INC-1, &lt;script&gt;')
    expect(head).not.toContain('b 9 →')
    expect(head).toContain('d 9 → 7 (')
    expect(head).toContain('; 1 more figure.')
    const terminal = toTerminal(result(everything, { restated }), { width: 80, color: false })
    expect(terminal.replace(/\s+/g, ' ')).toContain('Changed since the report of 30 Oct 06:00: ')
    expect(terminal.replace(/\s+/g, ' ')).toContain('1 more figure.')
  })

  test('omits charts and cards if the period has no incidents', () => {
    const table = everything.at(-1)!
    const heading: Block = { kind: 'heading', level: 2, content: [{ kind: 'text', text: 'Open now' }] }
    const quiet = toHtml(result([...everything.slice(0, -1), heading, table], { empty: true }))
    expect(quiet).toMatch(/No incidents in the 50% of this period with data\./)
    expect(quiet).toContain('<h2 id="s1">Open now</h2>')
    expect(quiet).toContain('All 3 rows: q.csv')
    expect(quiet).not.toMatch(/<figure class="chart">|<dl class="kpis">/)
    expect(quiet.match(/<h2[ >]/g)).toHaveLength(2)
  })
})

describe('the charts of a report page', () => {
  test('are drawn wide and narrow, with a description and a data table', () => {
    expect(page.match(/<svg class="wide"/g)).toHaveLength(specs.length)
    expect(page.match(/<svg class="narrow"/g)).toHaveLength(specs.length)
    expect(page.match(/role="img" aria-label="[^"]{10,}"/g)).toHaveLength(specs.length * 2)
    expect(page.match(/<figure class="chart">/g)).toHaveLength(specs.length)
    expect(page.match(/<summary>Data<\/summary>/g)).toHaveLength(specs.length)
    expect(outside).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(outside).not.toMatch(/(width|height|r)="-/)
  })

  test('mark incomplete weeks and small samples', () => {
    expect(page).toContain('in progress')
    expect(page).not.toContain('class="stroke running"')
    expect(page).toContain('class="dot few')
    expect(page).toContain('class="dot few f0"')
    expect(page).toContain('n 4 !')
    expect(page).toContain('previous period')
  })

  test.each(
    specs.map(([spec, rows], index) => [index, spec.type, chart(spec, { ...rows, rows: [] })] as const),
  )('show “No data for this period.” if the query returns no rows: chart %i (%s)', (_, __, block) => {
    const empty = toHtml(result([block]))
    expect(empty).toContain('No data for this period.')
    expect(empty).not.toMatch(/NaN|Infinity/)
  })

  test('contain no invalid numbers if the query returns a single row', () => {
    const blocks = specs.map(([spec, rows]) => chart(spec, { ...rows, rows: rows.rows.slice(0, 1) }))
    expect(toHtml(result(blocks)).replace(/<style>.*?<\/style>/s, '')).not.toMatch(
      /NaN|Infinity|=-[\d.]+ height|height=-/,
    )
  })
})

test('a report page colors a card only if its change is significant', () => {
  expect(page).toContain('<b class="worse">▲ 10% more, worse</b><small class="sure">previously 8')
  expect(page).toContain('<span>95%\u00a0CI</span><span>8 – 10</span><span>(n\u00a0=\u00a012)</span>')
  expect(page).toContain(
    'no clear change<small class="sure">previously 6 (change: 95%\u00a0CI\u00a0−20% to +31%)</small></dd>',
  )
  expect(page).toContain('<dd class="extra worse">✗ Objective: at most 15 min</dd>')
  expect(page).toContain('<dd class="extra">Objective: at least 4 (inconclusive)</dd>')
})

test('a report table shows CI and n below each figure, and marks small samples', () => {
  const page = toHtml(result([measured])).replace(/[\u202f\u00a0]/g, ' ')
  expect(page).toContain('<td class="num">1 min<small class="basis">30 s – 1 min 30 s, n 12</small></td>')
  expect(page).toContain('<span class="rare">2 min !</span><small class="basis">30 s – 10 min, n 7</small>')
  expect(page).toContain('<span class="rare">3 min !</span><small class="basis">n 2</small>')
  expect(page).toContain('<td class="num">–</td>')
})

test('a report table folds the rows after the first 30', () => {
  const table = (count: number) => {
    const rows = Array.from({ length: count }, (_, place): Value[] => [`team ${place}`, 60, 30, 90, 12n])
    const block = { ...measured, limit: 200, data: { ...measured.data, rows } }
    return toHtml(result([block])).replace(/<style>.*?<\/style>/s, '')
  }
  const page = table(45)
  const [shown, folded] = page.split('<summary>15 more rows</summary>')
  expect(shown!.match(/team \d+/g)).toHaveLength(30)
  expect(folded!.match(/team \d+/g)).toHaveLength(15)
  expect(table(30)).not.toContain('more row')
})
