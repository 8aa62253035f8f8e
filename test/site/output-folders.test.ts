import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folderName, plainName, selectionFolder } from '../../src/site/folder-name.ts'
import { accountPart, choosePart } from '../../src/site/output-folders.ts'
import { teamFolder } from '../../src/site/team-folders.ts'
import { pageKey } from '../../src/site/write-page.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'

test.each([{}, { team: 'all' }, { account: 'all' }])(
  'the report options %j select all incidents',
  async (options) => {
    expect(await choosePart({} as Reader, options)).toMatchObject({ kind: 'all', folder: '' })
  },
)

test('different names get different folder names without path separators, regardless of case', () => {
  const names = [
    '../../etc',
    '..',
    '/',
    'a/b',
    'a b',
    'a_b',
    'A.B',
    '\u202e',
    ' ',
    'a\u200bb',
    'CON.html',
    'con',
    'Con',
  ]
  for (const folder of names.map(folderName)) expect(folder).toMatch(/^[\p{L}\p{N}_-]+$/u)
  const name = fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'grapheme', maxLength: 12 }))
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(folderName(a).toLowerCase() === folderName(b).toLowerCase()).toBe(a === b)
    }),
  )
})

test('a dimension value that every file system accepts is used unchanged as a folder name', () => {
  expect(folderName('checkout')).toBe('checkout')
  expect(folderName('Checkout')).toMatch(/^checkout_[0-9a-f]{6}$/)
})

test('a selection of several teams has a separate folder', () => {
  const folderOf = (...names: string[]) => selectionFolder(names.join(' '), names)
  expect(folderOf('a', 'b')).not.toBe(folderOf('a, b'))
  expect(folderOf('a', 'b')).toMatch(/^a-b_x[0-9a-f]{6}$/)
})

test('the folder of a team is named after the team id, not the team name', () => {
  const team = (id: string | null, account = '7', name = 'Payments') => ({ id, account, name })
  const teams = [
    team('12'),
    team('13'),
    team('12', '8'),
    team(null, '7', '(no channel)'),
    team(null, '7', '(unknown)'),
  ]
  expect(teams.map((one) => teamFolder(one, teams))).toEqual([
    'teams/12',
    'teams/13',
    'teams/12-8',
    'teams/no-channel',
    'teams/unknown',
  ])
  expect(teamFolder(team('12', '7', '../Checkout'), teams)).toBe('teams/12')
})

test('the folder of an account contains the account id', () => {
  expect(accountPart({ id: '7', name: 'EMEA' }).folder).toBe('accounts/emea-7')
  expect(accountPart({ id: '8', name: '8' }).folder).toBe('accounts/8')
  expect(plainName('../..')).toBe('')
})

test.each([
  [{}, null],
  [{ period: '2026-09' }, '2026-09'],
  [{ period: '2026-01-05..2026-03-02' }, '2026-01-05_2026-03-02'],
  [{ period: 'last month' }, 'last_month'],
  [{ severity: 'Critical' }, 'critical'],
  [{ period: '2026-09', severity: 'Critical,Warning' }, '2026-09_critical_warning'],
  [{ snapshot: '3d' }, 'snapshot-3d'],
  [{ account: 'EMEA,APAC' }, 'account-emea_apac'],
])('a report with the options %j is written to the page %s (null: the current page)', (filters, key) => {
  expect(pageKey({ kind: 'all' }, filters)).toBe(key)
})

test('an account filter requires a separate page for a dimension value, but not for an account or team', () => {
  const filters = { account: 'EMEA' }
  expect(pageKey({ kind: 'account' }, filters)).toBeNull()
  expect(pageKey({ kind: 'team' }, filters)).toBeNull()
  expect(pageKey({ kind: 'value' }, filters)).toBe('account-emea')
})
