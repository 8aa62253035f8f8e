import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkPrivacy } from '../../src/cli/check/check-privacy.ts'
import { stringifyJson } from '../../src/contract/json.ts'
import { resources } from '../../src/resources/index.ts'
import { hmac, ruled, validated } from '../resources/privacy/ruled.ts'
import { incident } from '../support/service.ts'
import { openReader, openWarehouse } from '../support/storage.ts'
import { scratch } from '../support/warehouse.ts'

/** A rule for the column `members.email` left plain addresses in four other columns. The rule `email` covers all text. */

function stored(title: string, rules: { drop?: string[]; hash?: string[] } = { hash: ['email'] }): unknown {
  return validated(rules, 'incidents', incident(1, { title })).accepted[0]!.title
}

const ada = 'ada@x.example'
const everywhere = incident(1, {
  title: `Mail from ${ada}, please look`,
  description: `<a href="mailto:${ada}">${ada}</a>`,
  reporter_email: ada,
  dedup_key: `user/${ada}/login`,
  detail_url: 'https://console.example/?user=ada%40x.example&tab=1',
  labels: { owner: ada, [ada]: 'a key' },
  fields: { contacts: [{ mail: ada }, [ada]], [`on ${ada}`]: { deep: ada } },
  creator: { person_id: 5, email: ada },
  closer: { person_name: `Ada <${ada}>` },
  responders: [{ person_id: 5, assigned_at: 1, acknowledged_at: 0, email: ada, as: ada, note: ada }],
  images: [{ src: 'img', alt: ada }],
  manual_overrides: [ada],
  unheard_of: { inside: [ada] },
  [ada]: 1,
})

describe('the privacy rule `hash: ["email"]`', () => {
  test('hashes an email address wherever it occurs in an incident', () => {
    const { accepted, unknown } = validated({ hash: ['email'] }, 'incidents', everywhere)
    const text = stringifyJson(accepted[0])
    expect(text).not.toMatch(/ada(@|%40)/)
    expect([...unknown].join()).not.toContain('@')
    expect(accepted[0]).toMatchObject({
      incident_id: everywhere.incident_id,
      title: `Mail from ${hmac(ada)}, please look`,
      description: `<a href="mailto:${hmac(ada)}">${hmac(ada)}</a>`,
      reporter_email: hmac(ada),
      detail_url: `https://console.example/?user=${hmac(ada)}&tab=1`,
      labels: { owner: hmac(ada), [hmac(ada)]: 'a key' },
      creator: { person_id: 5, email: hmac(ada) },
      manual_overrides: [hmac(ada)],
      _extra: { unheard_of: { inside: [hmac(ada)] } },
    })
  })

  test('produces the same hash as a rule for the column `members.email`', () => {
    const member = { account_id: 1, member_id: 7, member_name: 'Ada', email: ada, status: 'enabled' }
    const times = { created_at: 1, updated_at: 2 }
    const [one] = validated({ hash: ['members.email'] }, 'members', { ...member, ...times }).accepted
    const [two] = validated({ hash: ['email'] }, 'members', { ...member, ...times }).accepted
    const [both] = validated({ hash: ['email', 'members.email'] }, 'members', {
      ...member,
      ...times,
    }).accepted
    expect([one!.email, two!.email, both!.email]).toEqual([hmac(ada), hmac(ada), hmac(ada)])
  })

  test('hashes the addresses in a rejected record of any shape', () => {
    for (const record of [{ ...everywhere, start_time: 'x' }, [ada], ada, { start_time: ada }]) {
      const { rejected } = validated({ hash: ['email'] }, 'incidents', record)
      expect(rejected[0]!.payload).not.toContain('@')
    }
  })

  test('does not change a post-mortem id, even if the id is an email address', () => {
    const { accepted } = validated({ hash: ['email'] }, 'incidents', incident(1, { post_mortem_id: ada }))
    expect(accepted[0]!.post_mortem_id).toBe(ada)
  })

  test('hashes addresses in stored rows, and a second pass changes nothing', () => {
    for (const { scrub, table, columns } of ruled({ hash: ['email'] })) {
      for (const { child, name } of scrub!.columns) {
        const type = child === null ? columns.find((one) => one.name === name)?.type : undefined
        if (type !== undefined && type !== 'VARCHAR') continue
        const once = scrub!.column(name, child, `to ${ada}`)
        expect([table, name, once]).toEqual([table, name, `to ${hmac(ada)}`])
        expect(scrub!.column(name, child, once)).toBe(once)
      }
    }
  })
})

test('the privacy rule `drop: ["email"]` replaces each address with [email]', () => {
  expect(stored(`${ada} and Bob.B+x@sub.y-z.co.uk.`, { drop: ['email'] })).toBe('[email] and [email].')
  expect(JSON.stringify(validated({ drop: ['email'] }, 'incidents', everywhere).accepted)).not.toContain('@')
})

const ADDRESSES = [
  'a@b.co',
  "o'brien@x.example",
  'first.last+tag@sub.domain.example',
  '用户@例子.公司',
  'jürgen@müller.example',
  'x_y-z%1@a-b.example',
  'BOB@X.EXAMPLE',
  '"john doe"@x.example',
]
const NONE = ['lodash@4.17.21', '@team', 'a@b', 'user@', 'x @ y.example', '@x.example', 'a@.example']

describe('an email address in a text', () => {
  test.each(ADDRESSES)('is recognized: %s', (address) => {
    expect(stored(address)).toBe(hmac(address))
    expect(stored(`(${address}), <${address}>;mailto:${address}?x=1 ${address}.`)).toBe(
      `(${hmac(address)}), <${hmac(address)}>;mailto:${hmac(address)}?x=1 ${hmac(address)}.`,
    )
  })

  test.each(['ada%40x.example', 'ada&#64;x.example', 'ada&commat;x.example', 'ada＠x.example'])(
    'is recognized if its @ is encoded: %s',
    (text) => expect(stored(`see ${text} there`)).toBe(`see ${hmac(ada)} there`),
  )

  test.each(NONE)('is not found in the text %s', (text) => expect(stored(text)).toBe(text))

  test('is replaced everywhere, without changes to the surrounding text', () => {
    const around = fc.string({ unit: fc.constantFrom(...' \n\t,;:()<>[]{}=/?|\\') })
    fc.assert(
      fc.property(fc.array(fc.tuple(around, fc.constantFrom(...ADDRESSES))), around, (parts, end) => {
        const text = parts.map(([before, address]) => `${before} ${address}`).join('') + end
        const wanted = parts.map(([before, address]) => `${before} ${hmac(address)}`).join('') + end
        expect(stored(text)).toBe(wanted)
      }),
    )
  })

  test('is found in linear time, even in 300,000 characters without a match', () => {
    const size = 300_000
    for (const text of [
      'a'.repeat(size),
      '@'.repeat(size),
      'a@'.repeat(size),
      'a.'.repeat(size),
      '"@'.repeat(size),
    ])
      expect(String(stored(`${text}x@`)).startsWith(text.slice(0, 10))).toBe(true)
    expect(stored(`x@${'a.'.repeat(size)}`)).toContain('x@a.a.')
  })
})

describe('the privacy part of `faultline check`', () => {
  const folder = scratch()

  test('lists the columns that still contain email addresses', async () => {
    const path = join(folder, 'faultline.duckdb')
    const warehouse = await openWarehouse(path, resources, { accountId: 1n })
    const texts = [...ADDRESSES, ...NONE]
    await warehouse.db.transaction().execute(async (tx) => {
      for (const [index, text] of texts.entries()) {
        await tx
          .insertInto('members' as never)
          .values({ account_id: 1n, member_id: BigInt(index), member_name: text } as never)
          .execute()
      }
      await tx
        .insertInto('quarantine' as never)
        .values({ account_id: 1n, resource: 'members', record_key: '1', payload: `{"a":"${ada}"}` } as never)
        .execute()
    })
    await warehouse.publish()
    await warehouse.close()
    const reader = await openReader(path)
    const told = async (hash: string[]) =>
      (await checkPrivacy(reader, { privacy: { drop: [], hash }, out: path }))[0]!
    const finding = await told(['members.email'])
    const none = await told([])
    reader.close()
    expect([finding.level, finding.message]).toEqual(['warn', expect.any(String)])
    expect(finding.message).toContain(`members.member_name (${ADDRESSES.length})`)
    expect(finding.message).toContain('quarantine.payload (1)')
    expect(finding.message).not.toContain('email,')
    expect(finding.next).toContain('email')
    expect(none.level).toBe('ok')
  })
})
