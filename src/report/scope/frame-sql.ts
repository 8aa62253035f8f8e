import { readdirSync, readFileSync } from 'node:fs'
import { inPackage } from '../../package-path.ts'

const folder = inPackage('reports/frame/')

/** Reads an SQL file from `reports/frame/`. */
export function frameSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, folder), 'utf8')
}

/** Returns the names of all SQL files in `reports/frame/`, sorted. */
export function frameNames(): string[] {
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -'.sql'.length)] : []))
    .sort()
}
