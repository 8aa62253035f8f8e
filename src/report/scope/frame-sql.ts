import { readFileSync } from 'node:fs'
import type { Cell } from '../../warehouse/read/cell.ts'
import type { Rows } from '../../warehouse/read/reader.ts'

/** `reports/frame/` beside `src/` and `dist/` alike: both lie three folders above this file. */
const folder = new URL('../../../reports/frame/', import.meta.url)

/** The text of a file of `reports/frame/`. */
export function frameSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, folder), 'utf8')
}

/** The rows of a result as objects by column. */
export function objectsOf({ columns, rows }: Rows): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])))
}
