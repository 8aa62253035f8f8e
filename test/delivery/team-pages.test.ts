import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pageOfTeam, placeTeams, pointOn, teamFolder, teamsOf } from '../../src/delivery/team-pages.ts'
import { placeValues, pointOnValues, valueFolder } from '../../src/delivery/value-folders.ts'
import { replaceFile } from '../../src/effects.ts'
import type { KnownTeam } from '../../src/report/scope/chosen.ts'

let out: string
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'faultline-teams-'))
})
afterEach(() => rmSync(out, { recursive: true }))

const team = (id: number, name: string): KnownTeam => ({
  name,
  account: '7',
  accountName: null,
  ids: [`${id}`],
})

/** A night: each of these teams gets a report, its table and an index. */
function night(teams: KnownTeam[], made = teams) {
  const addresses = placeTeams(out, teams)
  for (const { name, ids } of made) {
    const folder = teamFolder(out, addresses.find((one) => one.ids[0] === ids[0])!)
    for (const page of ['index.html', 'mtta.html', 'mtta/rows.csv'])
      replaceFile(join(folder, page), `of ${name}`)
  }
  pointOn(out, addresses)
  return addresses
}
const page = (...path: string[]) => readFileSync(join(out, 'teams', ...path), 'utf8')
const linksOf = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)

test('pages of former nights go with a team whose address another one wants, and each old page names both', () => {
  night([team(1, 'Payments')])
  // The first team is not made in this night.
  night([team(1, 'Payments'), team(2, 'payments')], [team(2, 'payments')])
  expect(page('payments_1', 'mtta.html')).toBe('of Payments')
  expect(page('payments_1', 'mtta', 'rows.csv')).toBe('of Payments')
  expect(page('payments_2', 'mtta.html')).toBe('of payments')
  expect(readdirSync(join(out, 'teams', 'payments')).sort()).toEqual(['index.html', 'mtta.html'])
  expect(linksOf(page('payments', 'mtta.html'))).toEqual([
    '../payments_1/mtta.html',
    '../payments_2/mtta.html',
  ])
  expect(linksOf(page('payments', 'index.html'))).toEqual([
    '../payments_1/index.html',
    '../payments_2/index.html',
  ])
  expect(page('payments', 'index.html')).toContain('Payments (team 1)')
  expect(teamsOf(out)).toEqual([
    { team: 'Payments (team 1)', page: 'teams/payments_1/index.html', summaries: [] },
    { team: 'payments (team 2)', page: 'teams/payments_2/index.html', summaries: [] },
  ])
})

test('the old address of a team that was renamed leads to the new one, and is in no index', () => {
  night([team(1, 'Payments')])
  night([team(1, 'Billing')])
  expect(page('billing', 'mtta.html')).toBe('of Billing')
  expect(linksOf(page('payments', 'mtta.html'))).toEqual(['../billing/mtta.html'])
  expect(teamsOf(out)).toEqual([{ team: 'Billing', page: 'teams/billing/index.html', summaries: [] }])
  // Another team takes the name.
  night([team(1, 'Billing'), team(2, 'Payments')])
  expect(linksOf(page('payments', 'mtta.html'))).toEqual(['../billing/mtta.html', '../payments_2/mtta.html'])
  expect(page('payments_2', 'mtta.html')).toBe('of Payments')
})

test('what an older version left at an address of several teams is taken away: nobody knows whose it is', () => {
  for (const file of ['index.html', 'mtta.html', 'mtta/rows.csv'])
    replaceFile(join(out, 'teams', 'payments', file), 'of one or the other')
  writeFileSync(join(out, '.teams.json'), '[{"team":"Payments","page":"teams/payments/index.html"}]')
  const both = [team(1, 'Payments'), team(2, 'payments')]
  night(both, [])
  expect(existsSync(join(out, 'teams', 'payments_1'))).toBe(false)
  expect(readdirSync(join(out, 'teams', 'payments')).sort()).toEqual(['index.html', 'mtta.html'])
  expect(page('payments', 'mtta.html')).not.toContain('of one or the other')
  night(both)
  expect(linksOf(page('payments', 'mtta.html'))).toEqual([
    '../payments_1/mtta.html',
    '../payments_2/mtta.html',
  ])
})

test('a page of all teams leads to a team, or where several are called so to the page that names them', () => {
  const of = (account: string): KnownTeam => ({
    name: 'Payments',
    account,
    accountName: `A${account}`,
    ids: ['1'],
  })
  const addresses = night([of('7'), of('8'), team(3, 'Checkout')])
  expect(pageOfTeam(addresses, 'Checkout')).toBe('teams/checkout/index.html')
  expect(pageOfTeam(addresses, 'Payments')).toBe('teams/payments/index.html')
  expect(page('payments', 'index.html')).toContain('Payments (team 1, A7)')
  expect(pageOfTeam(addresses, 'Search')).toBeNull()
})

test.each([
  'no JSON',
  '{}',
  '[null, 3, {"team":4}]',
  '[{"team":"x","page":"teams/..%2F..%2Fetc/index.html"}]',
  '[{"team":"x","page":"teams/x/index.html","former":["../.."]}]',
  '[{"team":"x","page":"teams/%E0/index.html"}]',
])('a book that is damaged leads nowhere: %s', (book) => {
  writeFileSync(join(out, '.teams.json'), book)
  expect(teamsOf(out)).toEqual([])
  expect(night([team(1, 'Payments')])).toMatchObject([{ folder: 'payments', former: [] }])
})

test('values of a dimension that differ by case only share no folder, by the same rule, and the old address names both', () => {
  const made = (values: string[]) => {
    const addresses = placeValues(out, 'service', values)
    for (const one of addresses)
      replaceFile(join(valueFolder(out, 'service', one), 'index.html'), `of ${one.name}`)
    pointOnValues(out, 'service', addresses)
    return addresses.map(({ folder }) => folder)
  }
  expect(made(['payments', 'cart'])).toEqual(['payments', 'cart'])
  const [first, second, cart] = made(['payments', 'Payments', 'cart'])
  expect(cart).toBe('cart')
  expect([first, second]).toEqual([
    expect.stringMatching(/^payments_x[0-9a-f]{6}$/),
    expect.stringMatching(/^payments_x[0-9a-f]{6}$/),
  ])
  expect(first).not.toBe(second)
  const of = (folder: string) => readFileSync(join(out, 'service', folder, 'index.html'), 'utf8')
  expect([of(first!), of(second!)]).toEqual(['of payments', 'of Payments'])
  expect(linksOf(of('payments')).toSorted()).toEqual(
    [first, second].map((folder) => `../${folder}/index.html`).toSorted(),
  )
  // Nobody gets the plain one back when the other is gone: its address was given to both.
  expect(made(['payments'])).toEqual([first])
  expect(teamsOf(out)).toEqual([])
})
