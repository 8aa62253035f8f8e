import fc from 'fast-check'
import { expect, test } from 'vitest'
import { viewFiles } from '../../src/definitions/views.ts'
import { inhabit, type World } from '../support/world.ts'
import { defined } from './defined.ts'
import { world } from './generated-world.ts'

const { connection, rows } = defined()

/** Numbers the incident ids of a content, so that two accounts have the same ids. */
function withCommonIds(content: World): World {
  const numbers = new Map(content.incidents.map(({ incident_id }, index) => [incident_id, `i${index}`]))
  const renamed = <Row extends { incident_id: string }>(rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, incident_id: numbers.get(row.incident_id)! }))
  return {
    ...content,
    incidents: renamed(content.incidents),
    responders: renamed(content.responders),
    versions: renamed(content.versions),
  }
}

const views = viewFiles()
  // Excludes `working_spans`, because its rows come from the configuration and not from an account.
  .filter(({ kind, name }) => kind === 'view' && name !== 'working_spans')
  .map(({ name }) => name)

/** Returns the rows of account 1 in every view, sorted and as texts. */
async function viewsOfFirst(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const view of views) {
    const ofFirst = await rows(`from ${view} where account_id = 1`)
    found[view] = ofFirst.map((row) => JSON.stringify(row, rounded)).sort()
  }
  return found
}

/** Rounds fractions, because the last digits of a sum depend on the order of its terms. */
const rounded = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(9) : value

/** Fills the tables with `first` as account 1 and `second` as account 2. */
async function beside(first: World, second: World): Promise<void> {
  const tables = await rows(`select table_name as name, bool_or(column_name = 'account_id') as owned
     from duckdb_columns() where schema_name = 'main' and not internal
       and table_name in (select table_name from duckdb_tables() where not temporary) group by 1`)
  const moved = tables.filter(({ owned }) => owned)
  await inhabit(connection(), first)
  for (const { name } of moved)
    await connection().run(`create or replace temp table first_${name} as from main.${name}`)
  await inhabit(connection(), second)
  // Both accounts also have the same run ids, because each account numbers its own runs.
  for (const { name } of moved) {
    await connection().run(`update main.${name} set account_id = 2`)
    await connection().run(`insert into main.${name} by name from first_${name}`)
  }
}

test('every view returns the same rows for an account, whether or not another account has the same ids', async () => {
  await fc.assert(
    fc.asyncProperty(world.map(withCommonIds), world.map(withCommonIds), async (first, second) => {
      await inhabit(connection(), first)
      const alone = await viewsOfFirst()
      await beside(first, second)
      expect(await viewsOfFirst()).toEqual(alone)
    }),
    { numRuns: 10, endOnFailure: true, seed: 498 },
  )
}, 300_000)
