/** DuckDB types of columns. */
export type ColumnType = 'VARCHAR' | 'BIGINT' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'JSON' | 'BIGINT[]' | 'VARCHAR[]'

/** One column: its name, its type, and the path of its value in a record of the service. */
export interface Column<Name extends string = string, Type extends ColumnType = ColumnType> {
  readonly name: Name
  readonly type: Type
  /** What it holds, in one sentence: it becomes the column's comment. Empty only in tests. */
  readonly meaning: string
  /** A time that may be yet to come; every other one has passed when a record is read. */
  readonly mayLieAhead?: true
  /** Field names from the record down to the value; by default the column's name, empty for the record itself. */
  readonly path: readonly string[]
}

const build =
  <const Type extends ColumnType>(type: Type) =>
  <const Name extends string>(name: Name, meaning = '', path: string = name): Column<Name, Type> => ({
    name,
    type,
    meaning,
    path: path === '' ? [] : path.split('.'),
  })

/** Text as it is. */
export const text = build('VARCHAR')
/** An int64 as it is: 0 keeps its meaning in identifiers (system, none or standalone). */
export const integer = build('BIGINT')
export const flag = build('BOOLEAN')
/** Unix seconds to a point in time. 0 means "not set" and becomes NULL, here and nowhere else. */
export const time = build('TIMESTAMPTZ')
/** A time that may be yet to come. */
export const timeAhead = <const Name extends string>(name: Name, meaning: string) => ({
  ...time(name, meaning),
  mayLieAhead: true as const,
})
/** An object or a list of any shape. */
export const json = build('JSON')
export const integers = build('BIGINT[]')
export const texts = build('VARCHAR[]')
