import { readdirSync, readFileSync } from 'node:fs'
import { inPackage } from '../../package-path.ts'

const folder = inPackage('reports/frame/')

export function frameSql(name: string): string {
  return readFileSync(new URL(`${name}.sql`, folder), 'utf8')
}

export function frameNames(): string[] {
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -'.sql'.length)] : []))
    .sort()
}
