import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringifyJson } from '../../../src/contract/json.ts'
import { ConfigError } from '../../../src/errors.ts'
import { resources } from '../../../src/resources/index.ts'
import { withPrivacy } from '../../../src/resources/privacy/with-privacy.ts'
import { incident } from '../../support/service.ts'
import { hmac, resourceWith, salt, validated } from './ruled.ts'

const member = {
  account_id: 1,
  member_id: 7,
  member_name: 'Ada',
  phone: '+49 30 1234567',
  email: 'ada@x.example',
  status: 'enabled',
  created_at: 1,
  updated_at: 2,
}

describe('a valid record under privacy rules', () => {
  test('is stored in full if no rule applies to its table', () => {
    expect(withPrivacy(resources, { drop: [], hash: [], salt: '' })).toEqual(resources)
    const ruled = withPrivacy(resources, { drop: ['members.phone'], hash: [], salt })
    for (const [index, resource] of resources.entries()) {
      expect(ruled[index] === resource).toBe(resource.table !== 'members')
    }
  })

  test('is stored with null in dropped columns and with an HMAC in hashed columns', () => {
    const { accepted, rejected } = validated(
      { drop: ['members.phone', 'members.member_name'], hash: ['members.email'] },
      'members',
      member,
      { ...member, member_id: 8, email: '' },
    )
    expect(rejected).toEqual([])
    expect(accepted[0]).toMatchObject({
      phone: null,
      member_name: null,
      email: hmac('ada@x.example'),
      member_id: 7,
    })
    // An empty text identifies nobody.
    expect(accepted[1]).toMatchObject({ email: '' })
  })

  test('is redacted in child rows, and in lists of texts or numbers', () => {
    const record = incident(1, {
      responders: [
        { person_id: 1, assigned_at: 1, acknowledged_at: 2, email: 'a@x.example', person_name: 'A' },
        { person_id: 2, assigned_at: 1, acknowledged_at: 2 },
      ],
      manual_overrides: ['ada', ''],
    })
    const { accepted } = validated(
      {
        drop: ['incident_responders.person_name'],
        hash: ['incident_responders.email', 'incidents.manual_overrides'],
      },
      'incidents',
      record,
    )
    expect(accepted[0]).toMatchObject({
      responders: [
        { person_id: 1, email: hmac('a@x.example'), person_name: null },
        { person_id: 2, assigned_at: 1, acknowledged_at: 2 },
      ],
      manual_overrides: [hmac('ada'), ''],
    })
    const team = { team_id: 1, team_name: 't', person_ids: [1, 2n ** 60n] }
    expect(validated({ drop: ['team_members.person_id'] }, 'teams', team).accepted[0]).toMatchObject({
      person_ids: [null, null],
    })
  })

  test('is redacted inside JSON columns, in lists and at any depth', () => {
    const record = incident(1, {
      labels: { host: 'h', 'k8s.io/pod': 'p', owner: { mail: 'm', id: 9 } },
      fields: { customers: [{ mail: 'a', keep: 1 }, { mail: 'b' }], count: 5 },
      creator: { email: 'c@x.example', person_id: 3 },
    })
    const { accepted } = validated(
      {
        drop: ['incidents.labels.k8s.io/pod', 'incidents.creator.email', 'incidents.labels.nobody'],
        hash: ['incidents.labels.owner', 'incidents.fields.customers.mail', 'incidents.fields.count'],
      },
      'incidents',
      record,
    )
    expect(accepted[0]).toMatchObject({
      labels: { host: 'h', owner: { mail: hmac('m'), id: hmac('9') } },
      fields: { customers: [{ mail: hmac('a'), keep: 1 }, { mail: hmac('b') }], count: hmac('5') },
      creator: { person_id: 3 },
    })
    expect(accepted[0]!.labels).not.toHaveProperty('k8s.io/pod')
    expect(accepted[0]!.creator).not.toHaveProperty('email')
  })

  test('is redacted in undocumented fields', () => {
    const record = { ...member, nick: 'countess', more: { mail: 'x' } }
    expect(validated({ drop: ['members._extra'] }, 'members', record).accepted[0]!._extra).toBeUndefined()
    expect(validated({ drop: ['members._extra.nick'] }, 'members', record).accepted[0]!._extra).toEqual({
      more: { mail: 'x' },
    })
    expect(validated({ hash: ['members._extra.more.mail'] }, 'members', record).accepted[0]!._extra).toEqual({
      nick: 'countess',
      more: { mail: hmac('x') },
    })
    expect(validated({ hash: ['members._extra'] }, 'members', record).accepted[0]!._extra).toEqual({
      nick: hmac('countess'),
      more: { mail: hmac('x') },
    })
    expect(validated({ drop: ['members._extra.status'] }, 'members', record).accepted[0]).toMatchObject(
      member,
    )
  })

  test('is redacted by the rule `name` in every field for the name of a person', () => {
    const ada = { person_id: 7, person_name: 'Ada', name: 'Ada L.', as: 'lead' }
    const item = {
      ...incident(1),
      title: 'Ada is asked',
      channel_name: 'payments',
      account_name: 'Acme',
      owner: ada,
      closer: ada,
      labels: { owner_name: 'Ada', name: 'db-1', __proto__: null },
      responders: [{ ...ada, assigned_at: 5, acknowledged_at: 6 }],
      new_field: { creator_name: ['Ada', 'Bo'], deep: [{ Member_Name: 'Ada' }] },
    }
    for (const act of ['hash', 'drop'] as const) {
      const { accepted, rejected } = validated({ [act]: ['name'] }, 'incidents', item)
      const named = (text: string) => (act === 'hash' ? hmac(text) : null)
      expect(rejected).toEqual([])
      expect(accepted[0]).toMatchObject({
        title: 'Ada is asked',
        channel_name: 'payments',
        account_name: 'Acme',
        owner: { person_id: 7, person_name: named('Ada'), name: named('Ada L.'), as: 'lead' },
        labels: { owner_name: named('Ada'), name: 'db-1' },
        responders: [{ person_id: 7, person_name: named('Ada'), as: 'lead' }],
      })
      expect(JSON.stringify(accepted[0]).replace('Ada is asked', '')).not.toMatch(/"(Ada|Bo)/)
      const broken = { ...item, start_time: 'x', owner: { person_id: 7, person_name: { first: 'Ada' } } }
      const { payload } = validated({ [act]: ['name'] }, 'incidents', broken).rejected[0]!
      expect(payload.replace('Ada is asked', '')).not.toMatch(/"(Ada|Bo)/)
    }
  })

  test('keeps values that are already hashed', () => {
    const rules = { hash: ['members.email'] }
    const once = validated(rules, 'members', member).accepted[0]!
    expect(validated(rules, 'members', { ...member, email: once.email }).accepted[0]).toMatchObject({
      email: once.email,
    })
  })
})

test('the rule `name` hashes names in stored columns, at any depth, and only once', () => {
  const stored = resourceWith({ hash: ['name'] }, 'incidents').scrub!
  const cleaned = { person_id: 7, person_name: hmac('Ada') }
  for (const column of ['owner', 'closer', 'creator', 'labels', '_extra']) {
    expect(stored.columns).toContainEqual({ child: null, name: column })
    const value = { deep: [{ person_id: 7, person_name: 'Ada' }] }
    expect([column, stored.column(column, null, value)]).toEqual([column, { deep: [cleaned] }])
  }
  const members = resourceWith({ hash: ['name'] }, 'members')
  expect(members.scrub!.columns.map(({ name }) => name)).toEqual(['member_name', '_extra'])
  expect(members.scrub!.column('member_name', null, 'Ada')).toBe(hmac('Ada'))
  expect(members.scrub!.column('member_name', null, hmac('Ada'))).toBe(hmac('Ada'))
})

describe('an invalid record under privacy rules', () => {
  const rules = {
    drop: ['members.phone', 'members.member_name'],
    hash: ['members.email'],
  }
  const SECRETS = ['+49 30 1234567', 'Ada', 'ada@x.example', '493012345678']

  test.each<[string, unknown]>([
    ['a wrong type in another field', { ...member, created_at: 'yesterday' }],
    ['a wrong type in the field itself', { ...member, phone: 493012345678 }],
    ['a list that contains the value', { ...member, email: ['ada@x.example', { a: 'ada@x.example' }] }],
    ['an object around the value', { ...member, email: { value: 'ada@x.example' } }],
    ['the record nested one level deeper', { data: { member } }],
    ['a list of records', [member, [member]]],
    ['a name in another case', { Email: 'ada@x.example', PHONE: '+49 30 1234567' }],
    ['a string instead of a record', 'ada@x.example'],
    ['a number instead of a record', 493012345678],
    ['a list of texts', ['ada@x.example', 'Ada']],
    ['null instead of a record', null],
  ])('is quarantined without its personal values, for the original reason: %s', (_, item) => {
    const { accepted, rejected } = validated(rules, 'members', item)
    expect(accepted).toEqual([])
    const text = stringifyJson(rejected)
    for (const secret of SECRETS) expect(text).not.toContain(secret)
    // Validating the stored record again must give the same reason.
    const again = validated(rules, 'members', JSON.parse(rejected[0]!.payload))
    expect(again.rejected).toEqual(rejected)
  })

  test('is redacted in every field with a rule, whatever the shape of the record', () => {
    const secret = 'S3CRET'
    const named = fc.constantFrom('phone', 'email', 'member_name', 'eMail')
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'items', 'data'), tie('tree'), { maxKeys: 3 }),
        fc
          .tuple(
            named,
            fc.constantFrom<unknown>(secret, [secret], { x: secret }, [{ y: [secret] }]),
            tie('tree'),
          )
          .map(([name, value, rest]) => ({ [name]: value, rest })),
      ),
    }))
    fc.assert(
      fc.property(tree, (item) => {
        const { rejected } = validated(rules, 'members', item)
        expect(stringifyJson(rejected)).not.toContain(secret)
      }),
    )
  })

  test('is redacted in undocumented fields', () => {
    const item = { ...member, created_at: 'x', nick: 'countess', more: [{ mail: 'countess' }] }
    const { rejected } = validated({ drop: ['members._extra'] }, 'members', item)
    expect(rejected[0]!.payload).not.toContain('countess')
    expect(rejected[0]!.payload).toContain('Ada')
    const labels = incident(1, { start_time: 'x', labels: { host: 'h' }, odd: 'o5dd' })
    const [kept] = validated({ drop: ['incidents._extra'] }, 'incidents', labels).rejected
    expect(kept!.payload).toContain('"host":"h"')
    expect(kept!.payload).not.toContain('o5dd')
  })

  test('is redacted inside JSON columns', () => {
    const item = incident(1, {
      start_time: 'x',
      labels: { owner: { mail: 'm@x' } },
      elsewhere: { mail: 'm@x' },
    })
    const { rejected } = validated({ drop: ['incidents.labels.owner.mail'] }, 'incidents', item)
    expect(rejected[0]!.payload).not.toContain('m@x')
  })

  test.each([
    ['labels that are a string', { labels: 'host=S3CRET' }],
    ['labels in a list', { labels: ['host=S3CRET', 5, ['S3CRET']] }],
    ['responders that are a string', { responders: 'S3CRET' }],
    ['responders that are addresses', { responders: ['S3CRET'] }],
  ])('is redacted even in fields with values of an unexpected type: %s', (_, fields) => {
    const rules = { drop: ['incidents.labels.host'], hash: ['incident_responders.email'] }
    const { rejected } = validated(rules, 'incidents', incident(1, { title: 'kept', ...fields }))
    expect(rejected).toHaveLength(1)
    expect(rejected[0]!.payload).not.toContain('S3CRET')
    expect(rejected[0]!.payload).toContain('kept')
  })

  test('is quarantined unchanged if no rule applies', () => {
    const item = { ...member, created_at: 'x' }
    expect(validated({}, 'members', item).rejected[0]!.payload).toBe(stringifyJson(item))
  })
})

describe('a privacy rule is rejected for', () => {
  test.each<[string, { drop?: string[]; hash?: string[] }, RegExp, RegExp]>([
    ['an unknown table', { drop: ['memberz.phone'] }, /unknown table "memberz"/, /"members"/],
    ['an unknown kind of data', { hash: ['emial'] }, /emial/, /email/],
    ['a kind of data under both', { drop: ['email'], hash: ['email'] }, /both drop and hash/, /one of them/],
    ['an unknown column', { drop: ['members.phon'] }, /no column "phon"/, /"phone"/],
    ['an unknown column of a child', { drop: ['incident_responders.mail'] }, /no column "mail"/, /"email"/],
    ['only a table name', { drop: ['members'] }, /no column ""/, /member_id/],
    ['a part of a text column', { drop: ['incidents.title.word'] }, /no nested fields/, /incidents\.title/],
    ['a table of versions', { drop: ['incident_versions.title'] }, /follows the/, /incidents\.title/],
    ['the key of a table', { drop: ['incidents.incident_id'] }, /key of its table/, /views/],
    [
      'the key of a table that is read by ids',
      { hash: ['post_mortems.post_mortem_id'] },
      /key of its table/,
      /views/,
    ],
    ['a numeric key', { hash: ['members.member_id'] }, /only text/, /drop/],
    ['the account id', { drop: ['members.account_id'] }, /every key/, /views/],
    ['the column that decides which copy is newer', { drop: ['members.updated_at'] }, /newer/, /views/],
    ['a column that determines what is read', { drop: ['incidents.start_time'] }, /read next/, /views/],
    ['a reference to another resource', { hash: ['incidents.post_mortem_id'] }, /find other/, /views/],
    ['hashing a time', { hash: ['incidents.ack_time'] }, /only text/, /drop/],
    [
      'a column that is both hashed and dropped',
      { drop: ['members.email'], hash: ['members.email'] },
      /under both drop and hash/,
      /one of them/,
    ],
  ])('%s', (_, rules, message, next) => {
    let error: unknown
    try {
      resourceWith(rules, 'members')
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toMatch(message)
    expect((error as ConfigError).next).toMatch(next)
  })
})
