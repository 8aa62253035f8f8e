import { readFileSync } from 'node:fs'

/** `reports/frame/` beside `src/` and `dist/` alike: both lie three folders above this file. */
const folder = new URL('../../../reports/frame/', import.meta.url)

/** The text of a file of `reports/frame/`. */
export function frameSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, folder), 'utf8')
}
