import type { DuckDBConnection } from '@duckdb/node-api'
import { parseJson } from '../../../../src/contract/json.ts'
import type { Resource } from '../../../../src/resources/resource.ts'
import { createJudge } from '../../../../src/sync/accept.ts'
import { itemsOf } from '../../../../src/sync/items.ts'
import { createPageReader } from '../../../../src/warehouse/stage/bytes/read-page.ts'
import type { Records } from '../../../../src/warehouse/stage/page.ts'
import { createStage } from '../../../../src/warehouse/stage/stage.ts'
import { stageOf } from '../../../../src/warehouse/stage/stage-functions.ts'

/** What is staged of an answer, as text, table by table, and the answer's other data. */
export interface Staged {
  readonly tables: readonly unknown[][]
  readonly keys: readonly string[]
  readonly rest: unknown
}

/**
 * Stages the records of answers straight from their bytes.
 * @returns undefined when one of them is left to the other way
 */
export async function throughBytes(
  connection: DuckDBConnection,
  resource: Resource,
  bodies: readonly Buffer[],
): Promise<Staged | undefined> {
  const read = createPageReader(resource)!
  const taken = bodies.map((body) => read([body]))
  const all = taken.flatMap((one) => one ?? [])
  if (all.length < taken.length) return undefined
  const keys = all.flatMap(({ bulk }) => bulk.keys)
  const tables = await staged(
    connection,
    resource,
    all.map(({ bulk }) => bulk),
  )
  return { tables, keys, rest: all.map(({ rest }) => parseJson(rest)) }
}

/**
 * Stages the records of answers by parsing and judging them.
 * @returns undefined when something is not JSON, is rejected or is undocumented
 */
export async function throughObjects(
  connection: DuckDBConnection,
  resource: Resource,
  bodies: readonly Buffer[],
): Promise<Staged | undefined> {
  const judge = createJudge(resource)
  try {
    const answers = bodies.map((body) => parseJson(body.toString()) as { data: Record<string, unknown> })
    const judged = answers.map(({ data }) => judge(itemsOf(resource, data, '')))
    if (judged.some(({ rejected, unknown }) => rejected.length + unknown.size > 0)) return undefined
    const tables = await staged(
      connection,
      resource,
      judged.map(({ rows }) => rows),
    )
    const rest = answers.map((answer) => ({ ...answer, data: { ...answer.data, items: [] } }))
    return { tables, keys: judged.flatMap(({ keys }) => keys), rest }
  } catch {
    return undefined
  }
}

async function staged(connection: DuckDBConnection, resource: Resource, records: readonly Records[]) {
  const stage = createStage(resource)
  for (const some of records) stage.add(some)
  stage.show(connection)
  const tables = []
  for (const { table } of [resource, ...resource.children]) {
    // The hash shows what a text does not, such as an empty list beside one of NULL.
    const result = await connection.runAndReadAll(`select *, hash(columns(*)) from ${stageOf(table)}`)
    tables.push(result.getRowsJson())
  }
  stage.release()
  return tables
}
