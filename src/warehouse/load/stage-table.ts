import { type Expression, type Kysely, sql } from 'kysely'
import { BOOKKEEPING, readColumns } from '../../definitions/tables.ts'
import type { Child, ColumnType, Resource } from '../../resources/resource.ts'
import type { Staging } from './staging.ts'

/** Table types for Kysely without names, because the code handles any resource. */
export type ResourceTables = Record<string, Record<string, unknown>>

/** Temporary table with the records of a batch. */
export const STAGE = 'stage'

export const EXTRA = BOOKKEEPING[0].name
/** Hash of a row's content, including the rows of its child tables. */
export const HASH = BOOKKEEPING[1].name

/** Structure for DuckDB's `from_json`: a type name, a list with the structure of its elements, or an object. */
type Shape = string | [Shape] | { [field: string]: Shape }

/** Creates a temporary table for a batch, with one list column per child table. */
export async function createStage(db: Kysely<ResourceTables>, staging: Staging): Promise<void> {
  const { resource } = staging
  const values = valuesOf(resource)
  const text = sql`decode(${staging.text()})`
  const lines = db.selectNoFrom(sql`unnest(string_split(${text}, chr(10)))`.as('line')).as('lines')
  const records = db
    .selectFrom(lines)
    .select(sql`from_json(line, ${sql.lit(JSON.stringify(shapeOf(resource)))})`.as('record'))
    .where('line', '<>', '')
    .as('records')
  await db.schema
    .createTable(STAGE)
    .temporary()
    .as(
      db.selectFrom(records).select([
        ...values.map(({ name, value }) => value.as(name)),
        // `hash` is equal for NULL, an empty list and a list of one NULL, so the length is hashed, too.
        sql`hash(${sql.join(values.flatMap(({ value, isList }) => (isList ? [value, sql`len(${value})`] : [value])))})`.as(
          HASH,
        ),
      ]),
    )
    .execute()
}

function valuesOf(resource: Resource) {
  return [
    ...readColumns(resource).map(({ name, type, path }) => ({
      name: name as string,
      value: typed(sql.id('record', ...path), type),
      isList: type.endsWith('[]'),
    })),
    ...resource.children.map(({ table, path }) => ({
      name: table,
      value: sql.id('record', ...path),
      isList: true,
    })),
    { name: EXTRA, value: sql.id('record', EXTRA), isList: false },
  ]
}

/** Converts a staged value to the type of its column. A timestamp is in Unix seconds, and 0 becomes NULL. */
export function typed(value: Expression<unknown>, type: ColumnType) {
  return type === 'TIMESTAMPTZ'
    ? sql`case when ${value} <> 0 then make_timestamptz(${value} * 1000000) end`
    : sql`${value}`
}

function shapeOf(resource: Resource): Shape {
  const root: { [field: string]: Shape } = { [EXTRA]: 'JSON' }
  for (const { path, type } of readColumns(resource)) put(root, path, typeShape(type))
  for (const child of resource.children) put(root, child.path, [elementShape(child)])
  return root
}

function elementShape({ columns }: Child): Shape {
  const element: { [field: string]: Shape } = {}
  for (const { path, type } of columns) {
    if (path.length === 0) return typeShape(type)
    put(element, path, typeShape(type))
  }
  return element
}

function typeShape(type: ColumnType): Shape {
  if (type === 'TIMESTAMPTZ') return 'BIGINT'
  return type.endsWith('[]') ? [type.slice(0, -2)] : type
}

function put(root: { [field: string]: Shape }, [step, ...rest]: readonly string[], shape: Shape) {
  if (step === undefined) return
  root[step] = rest.length === 0 ? shape : (root[step] ?? {})
  put(root[step] as { [field: string]: Shape }, rest, shape)
}
