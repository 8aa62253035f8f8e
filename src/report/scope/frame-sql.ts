import { readFileSync } from 'node:fs'
import { inPackage } from '../../package-folder.ts'

const folder = inPackage('reports/frame/')

/** The text of a file of `reports/frame/`. */
export function frameSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, folder), 'utf8')
}
