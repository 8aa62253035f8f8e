import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { compileConditions } from '../../src/definitions/custom-condition.ts'
import { ConfigError } from '../../src/errors.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})

const condition = async (text: string) => {
  const [one] = await compileConditions(connection, [
    { text, at: 'config.json:7', of: 'reporting.exclude, "x"', gives: 'boolean' },
  ])
  return one!
}

describe('a custom condition', () => {
  test.each([
    ["channel_name in ('Soaking', 'Silent Test')", `(channel_name IN ('Soaking', 'Silent Test'))`],
    ["label.env = 'test' -- and nothing else", `(json_extract_string(labels, '/env') = 'test')`],
    [`label."a/b~'c" is null`, `(json_extract_string(labels, '/a~1b~0''c') IS NULL)`],
    ["label.k8s.cluster <> 'x'", `(json_extract_string(labels, '/k8s.cluster') != 'x')`],
    ["TITLE like '[TEST]%'", `(title ~~ '[TEST]%')`],
    ["title not ilike 'a!%%' escape '!'", `not_ilike_escape(title, 'a!%%', '!')`],
    ['not (channel_id between 3 and 7.5)', `(NOT (channel_id BETWEEN 3 AND 7.5))`],
    ["concat(team_name, '/', title) = 'a/b'", `(concat(team_name, '/', title) = 'a/b')`],
    ["main.trim(title) = ''", `("trim"(title) = '')`],
    ['channel_id = 1e3 or channel_id = 1.5e0', '((channel_id = 1000) OR (channel_id = 1.5))'],
    ["start_time < timestamptz '2026-03-01 01:00+01'", `(start_time < to_timestamp(1772323200.000))`],
    [
      "start_time < '2026-03-01T00:00:00.5Z' or true",
      `((start_time < to_timestamp(1772323200.500)) OR TRY_CAST('t' AS BOOLEAN))`,
    ],
    ['cast(label.size as integer) > -3', `(TRY_CAST(json_extract_string(labels, '/size') AS INTEGER) > -3)`],
    [
      "case when team_id is null then label.a end = 'b'",
      `(CASE  WHEN ((team_id IS NULL)) THEN (json_extract_string(labels, '/a')) ELSE NULL END = 'b')`,
    ],
    [
      "coalesce(lower(fields.kind), '') = ''",
      `(COALESCE(lower(json_extract_string(fields, '/kind')), '') = '')`,
    ],
  ])('is converted to SQL: %s', async (text, sql) => {
    expect((await condition(text)).sql).toBe(sql)
  })

  test('is compiled with a list of its labels and custom fields', async () => {
    expect((await condition("label.env = fields.x or label.env = 'y'")).reads).toEqual([
      'label.env',
      'fields.x',
    ])
  })
})

describe('an invalid custom condition', () => {
  test.each([
    ['1=1) union select (1=1', /cannot be parsed/],
    ['1=1 union select true', /not a single condition/],
    ['true; drop table incidents', /cannot be parsed: Only SELECT/],
    ['true; select true', /not a single condition/],
    ['true from incidents', /not a single condition/],
    ["title = 'a', title = 'b'", /not a single condition/],
    ["title = 'a' as x", /not a single condition/],
    ["channel_name = 'a' limit 1", /not a single condition/],
    ["chanel_name = 'a'", /unknown column "chanel_name".*Did you mean "channel_name"/s],
    ['ack_time is null', /unknown column "ack_time"/],
    ["labels.env = 'a'", /"labels.env" is not a column.*label/s],
    ["incident_times.title = 'a'", /is not a column.*label\.NAME/s],
    ['start_time < now()', /function "now"/],
    ['start_time < current_timestamp', /unknown column "current_timestamp"|function/],
    ['random() < 0.5', /function "random"/],
    ['title in (select name from members)', /a subquery/],
    ['exists (from incidents)', /a subquery/],
    ['row_number() over () = 1', /a window/],
    ["list_filter(['a'], lambda x: x = title) = []", /function|lambda/],
    ['count(*) > 1', /function "count/],
    ['columns(*) is null', /a \*/],
    ['title = $1', /a parameter/],
    ["title = getenv('HOME')", /function "getenv"/],
    ["read_text('/etc/passwd') = ''", /function "read_text"/],
    ['title', /is a text, not a condition.*Compare it/s],
    ['title = 5', /compares a text with a number.*in quotes/s],
    ["channel_id = '5'", /compares a number with a text/],
    ["start_time < '2026-02-30'", /"2026-02-30" is not a valid time/],
    ["start_time < '2026-02-30T08:00Z'::timestamptz", /"2026-02-30T08:00Z" is not a valid time/],
    ["start_time < 'last week'", /"last week" is not a valid time.*2026-03-01/s],
    ['channel_id = 12345678901234567890', /longer than 15 digits.*cast\(channel_id as varchar\)/s],
    ["regexp_matches(title, '(')", /it cannot be evaluated: .*missing \)/],
    ['regexp_matches(title, label.pattern)', /the pattern of "regexp_matches" is not a constant/],
    ["starts_wiht(title, 'a')", /function "starts_wiht".*Did you mean "starts_with"/s],
    ['lower(distinct title) = title', /cannot contain this clause/],
    ["lower(team_id) = 'a'", /it cannot be evaluated: .*lower\(BIGINT\)/],
    ["split_part(title, ':', label.n) = 'a'", /it cannot be evaluated: .*argument types/],
    ["channel_id like '5%'", /it cannot be evaluated: .*BIGINT/],
    ['concat() = title', /it cannot be evaluated: .*concat/],
    ["lower(title) filter (true) = 'a'", /cannot be parsed|cannot contain this clause/],
    ["title collate nocase = 'a'", /cannot contain this expression/],
    [
      "try_cast(title as varchar collate nocase) = 'a'",
      /cannot cast to|cannot be parsed|cannot contain this clause/,
    ],
    ["label.env and title = 'a'", /uses a text as a condition/],
    ['cast(title as json) is null', /cannot cast to/],
    ['', /cannot be parsed/],
  ])('is rejected with its line and the reason: %s', async (text, said) => {
    const error = (await condition(text).catch((error: unknown) => error)) as ConfigError
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toMatch(/^config\.json:7: reporting\.exclude, "x": /)
    expect(`${error.message} ${error.next}`).toMatch(said)
  })

  test('is reported together with the errors of all other conditions', async () => {
    const all = ['a = 1', "title = 'x'", 'b = 1'].map((text, index) => ({
      text,
      at: `c:${index + 1}`,
      of: 'x',
    }))
    const error = (await compileConditions(connection, all).catch((error: unknown) => error)) as ConfigError
    expect(error.message.split('\n')).toEqual([
      'The conditions have 2 errors.',
      expect.stringMatching(/^c:1: x: unknown column "a"/),
      expect.stringMatching(/^c:3: x: unknown column "b"/),
    ])
  })
})

test('every custom condition is rejected or compiles to one expression without subqueries', async () => {
  const pieces = [
    ...["title = 'a'", ')', '(', "'", '--', '/*', '*/', ';', ' or ', ' union select ', 'from incidents'],
    ...['1=1', '"', 'now()', '$1', 'drop table t', 'label.x', "''", '\\', '\n', '\u0000', '@', 'select'],
    ...['where true', '[1]', '::json', 'lambda x: x'],
  ]
  await connection.run('create or replace table incidents as select 1 as secret')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 7 }), async (drawn) => {
      const text = drawn.join(' ')
      const [one] = await compileConditions(connection, [
        { text, at: 'c:1', of: 'x', gives: 'boolean' },
      ]).catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'ConfigError', message: expect.stringContaining('c:1: x: ') })
        return [undefined]
      })
      if (!one) return
      const tree = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [
        `select ${one.sql}`,
      ])
      const { statements } = JSON.parse(String(tree.getRows()[0]![0])) as {
        statements: { node: { type: string; from_table: { type: string }; select_list: unknown[] } }[]
      }
      expect(statements).toHaveLength(1)
      const { node } = statements[0]!
      expect([node.type, node.from_table.type, node.select_list.length]).toEqual(['SELECT_NODE', 'EMPTY', 1])
      expect(JSON.stringify(node)).not.toMatch(/SUBQUERY|LAMBDA|WINDOW|PARAMETER|"now"/)
    }),
    { numRuns: 300 },
  )
}, 300_000)
