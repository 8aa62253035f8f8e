import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folderName, sameFolder } from '../../src/delivery/folder-name.ts'
import { settleAddresses, type TeamAddress } from '../../src/delivery/team-addresses.ts'
import type { KnownTeam as Team } from '../../src/report/scope/chosen.ts'

const team = (id: number, name: string, account = '7'): Team => ({
  name,
  account,
  accountName: null,
  ids: [String(id)],
})
const foldersOf = (addresses: readonly TeamAddress[]) =>
  Object.fromEntries(addresses.map(({ name, ids, folder }) => [`${name}/${ids}`, folder]))
/** The nights of a company, each with the teams of that night. @returns the addresses after the last */
const settled = (...nights: Team[][]) =>
  nights.reduce<TeamAddress[]>((known, teams) => settleAddresses(known, teams), [])

describe('the folder of a team', () => {
  test('is its name where no other is like it', () => {
    expect(
      foldersOf(settled([team(1, 'Payments Platform'), team(2, '支払い'), team(3, 'Checkout')])),
    ).toEqual({
      'Payments Platform/1': 'payments-platform',
      '支払い/2': '支払い',
      'Checkout/3': 'checkout',
    })
  })

  test.each([
    ['Data Platform', 'Data-Platform'],
    ['Payments', 'payments'],
    ['OPS', 'OPS '],
    ['Straße', 'STRASSE'],
    ['Caf\u00e9', 'Cafe\u0301'],
    ['Kelvin', '\u212aelvin'],
    ['x'.repeat(60), `${'x'.repeat(60)}`],
  ])('has its number where %j and %j are alike', (one, other) => {
    const addresses = settled([team(1, one), team(2, other)])
    expect(addresses.map(({ folder }) => folder.slice(folder.indexOf('_')))).toEqual(['_1', '_2'])
    expect(addresses.map(({ former }) => former.length)).toEqual([1, 1])
  })

  test('is never one that a file system refuses', () => {
    expect(foldersOf(settled([team(1, 'CON'), team(2, 'nul'), team(3, 'con man')]))).toEqual({
      'CON/1': 'con_1',
      'nul/2': 'nul_2',
      'con man/3': 'con-man',
    })
    // Cut in the middle of a character.
    expect(() => encodeURIComponent(folderName(`${'x'.repeat(59)}𝐀𝐀`))).not.toThrow()
  })

  test('is given up when a team that was founded later is called alike, for good', () => {
    const both = [team(1, 'Payments'), team(2, 'payments')]
    expect(foldersOf(settled([team(1, 'Payments')], both))).toEqual({
      'Payments/1': 'payments_1',
      'payments/2': 'payments_2',
    })
    expect(foldersOf(settled(both, [team(2, 'payments')]))['payments/2']).toBe('payments_2')
  })

  test('follows a team that is renamed, and its old one belongs to nobody who takes the name', () => {
    const renamed = settled([team(1, 'Payments')], [team(1, 'Billing')])
    expect(renamed).toMatchObject([{ folder: 'billing', former: ['payments'] }])
    expect(foldersOf(settleAddresses(renamed, [team(1, 'Billing'), team(2, 'Payments')]))).toEqual({
      'Billing/1': 'billing',
      'Payments/2': 'payments_2',
    })
    expect(settled([team(1, 'Payments')], [team(1, 'payments')])).toMatchObject([
      { folder: 'payments', former: [] },
    ])
    expect(foldersOf(settled([team(1, 'a'), team(2, 'b')], [team(1, 'b'), team(2, 'a')]))).toEqual({
      'b/1': 'b_1',
      'a/2': 'a_2',
    })
  })

  test('of one that was merged into another, and comes back, is that of a new team', () => {
    const merged: Team = { ...team(1, 'Billing'), ids: ['1', '2'] }
    const apart = settled([team(2, 'Payments')], [merged], [team(1, 'Ledger')], [team(2, 'Payments')])
    // Who looks for it where it was finds, by that address, the team that it had become.
    expect(foldersOf(apart)).toEqual({ 'Payments/2': 'payments_2', 'Ledger/1': 'ledger' })
    expect(apart.find(({ name }) => name === 'Ledger')?.former).toContain('payments')
  })

  test('of another account is another', () => {
    expect(foldersOf(settled([team(1, 'Payments')], [team(1, 'Payments', '8')]))).toEqual({
      'Payments/1': expect.stringMatching(/^payments_(7|8)-1$/),
    })
    const both = settled([team(1, 'Payments', '7'), team(1, 'Payments', '8')])
    expect(both.map(({ folder }) => folder)).toEqual(['payments_7-1', 'payments_8-1'])
  })

  test('known by its name alone is that of the team of this name', () => {
    const known = [
      { name: 'Payments', account: '', accountName: null, ids: [], folder: 'payments', former: [] },
    ]
    expect(settleAddresses(known, [team(1, 'Payments')])).toMatchObject([
      { ids: ['1'], folder: 'payments', former: [] },
    ])
  })
})

/** Names that are often alike, and any others. */
const name = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        'a',
        'A',
        'ß',
        'ss',
        'é',
        'e\u0301',
        ' ',
        '-',
        '_',
        '.',
        '/',
        '1',
        '\u200b',
        'K',
        '\u212a',
        'ς',
        'Σ',
        'İ',
        'i',
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('con', 'CON', 'all', 'index', 'a_1', 'a-1', '..', '(no channel)', ''),
  fc.string({ unit: 'binary', maxLength: 80 }),
)
/** Up to six teams, of two accounts; none has two names in one night. */
const night = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('7', '8'), name), {
    maxLength: 6,
    selector: ([id, account]) => `${account}/${id}`,
  })
  .map((teams) => {
    // Teams of one account and one name are one.
    const byName = new Map<string, Team>()
    for (const [id, account, called] of teams) {
      const key = JSON.stringify([account, called])
      const ids = [...(byName.get(key)?.ids ?? []), String(id)].sort()
      byName.set(key, { name: called, account, accountName: account, ids })
    }
    return [...byName.values()]
  })

test("over any nights no two teams share a folder, none has what was another's, and one that was alone keeps its own", () => {
  fc.assert(
    fc.property(fc.array(night, { minLength: 1, maxLength: 4 }), (nights) => {
      let known: TeamAddress[] = []
      let hasMerged = false
      /** Who ever had a plain name: a team by its account and number. */
      const had = new Map<string, Set<string>>()
      for (const teams of nights) {
        known = settleAddresses(known, teams)
        for (const { name, account, ids } of teams) {
          const plain = sameFolder(folderName(name))
          had.set(plain, new Set([...(had.get(plain) ?? []), ...ids.map((id) => `${account}/${id}`)]))
        }
        const folders = known.map(({ folder }) => sameFolder(folder))
        expect(new Set(folders).size).toBe(folders.length)
        for (const { folder, former } of known) {
          expect(folder).toMatch(/^[\p{L}\p{M}\p{N}_-]+$/u)
          for (const one of former) expect(folders).not.toContain(sameFolder(one))
        }
        for (const { name, account, ids } of teams) {
          const { folder } = known.find((one) => one.account === account && one.name === name)!
          const owners = had.get(sameFolder(folderName(name)))!
          hasMerged ||= ids.length > 1
          // Teams that were one keep its names between them: whose each is, is said by examples above.
          if (hasMerged) continue
          if (owners.size > 1) expect(folder).toContain('_')
          else if (!/^con$/i.test(name)) expect(folder).toBe(folderName(name))
        }
        expect(settleAddresses(known, teams)).toEqual(known)
      }
    }),
    { numRuns: 200 },
  )
})
