import { describe, expect, test } from 'vitest'
import { bare, exploring } from './explored.ts'

const { answered } = exploring()

describe('an invalid URL of the explorer', () => {
  const long = 'x'.repeat(301)
  test.each([
    ['severitty=Critical', 'severity'],
    ['foo=1', '`foo`'],
    ['=1', 'Unknown filter'],
    ['__proto__=1', 'Unknown filter'],
    ['severity=', 'empty'],
    ['severity=Criticla', 'Critical'],
    ['severity=Critical%00', 'unprintable'],
    ['severity=%27%20or%201=1--', 'No incident'],
    ['team=platfrom', 'platform'],
    ['channel=nowhere', 'No incident'],
    ['dimension.service=none', 'No incident'],
    ['dimension.nothing=a', 'Unknown filter'],
    ['service=auth', 'dimension.service'],
    ['state=open', 'No incident'],
    ['band=night', 'No incident'],
    ['weekday=0', 'No incident'],
    ['weekday=Monday', 'No incident'],
    ['person=1', 'person'],
    ['person=1.x', 'person'],
    ['person=-1.2', 'person'],
    ['person=1.2&person=1.3', '2 times'],
    ['person=1.9999999999999999999', 'person'],
    ['period=yesterday%27', 'not a period'],
    ['period=9999 years', '20 years'],
    ['period=2099-01', 'had not begun'],
    ['period=a&period=b', '2 times'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=99999999999999999999', 'page'],
    ['page=1000000', 'does not exist'],
    ['by=everything', 'by'],
    ['all=everything', 'all'],
    [`title=${long}`, '301 characters'],
    ['title=a%0ab', 'unprintable'],
    ['title=a&title=b', '2 times'],
    [Array.from({ length: 51 }, (_, index) => `team=t${index}`).join('&'), '51 times'],
  ])('is rejected with a clear message: %s', async (query, words) => {
    for (const path of ['/explore', '/explore/incidents.csv']) {
      if (path.endsWith('csv') && query === 'page=1000000') continue
      const { status, text } = await answered(`${path}?${query}`)
      expect([400, 404]).toContain(status)
      expect(bare(text)).toContain(bare(words))
      expect(text).not.toMatch(/<script|\bat .*\.[jt]s:|node_modules|select /)
    }
  })

  test.each([
    ['severity=Critical&severitty=x&period=all', '?severity=Critical&period=all'],
    ['severity=Critical&severity=Criticla', '?severity=Critical'],
    ['title=pool&page=1000000', '?title=pool'],
    ['team=platfrom&by=severity', '?by=severity'],
    ['foo=1', null],
  ])('has a link to its valid part, to all incidents, and to the reports: %s', async (query, kept) => {
    for (const path of ['/explore', '/explore/change']) {
      if (path.endsWith('change') && query.includes('page=')) continue
      const { text } = await answered(`${path}?${query}`)
      const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      )
      expect(links).toEqual(['/', ...(kept === null ? [] : [`/explore${kept}`]), '/explore'])
    }
  })
})
