import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { replaceFile } from '../../effects.ts'
import { readNotes, writeNotes } from '../schema/file-metadata.ts'
import { PRIVATE, type WarehouseFiles } from './files.ts'

/** Under this key `faultline_meta` says which publishing made a file. */
export const KEY = 'generation'

/** Under this key it says which came before, the newest first: a lake may hold one of them. */
const FORMER = 'former generations'
/** So many publishings may fail in a row before a working file is no longer known to come from what was published. */
const FORMER_KEPT = 50

export async function renewGeneration(connection: DuckDBConnection): Promise<void> {
  await writeNotes(connection, new Map([[KEY, randomUUID()]]))
}

/** The same, and remembers the one before. */
export async function succeedGeneration(connection: DuckDBConnection): Promise<void> {
  const former = (await lineageOf(connection)).slice(0, FORMER_KEPT).join(' ')
  await writeNotes(
    connection,
    new Map([
      [KEY, randomUUID()],
      [FORMER, former],
    ]),
  )
}

/** The generations of the open file, the present one first. */
export async function lineageOf(connection: DuckDBConnection): Promise<string[]> {
  const notes = await readNotes(connection)
  return [notes.get(KEY) ?? [], notes.get(FORMER)?.split(' ') ?? []].flat()
}

/** The generation of the open file; null where it has none. */
export async function generationOf(connection: DuckDBConnection): Promise<string | null> {
  return (await readNotes(connection)).get(KEY) ?? null
}

/** Which generations the published copy may have, the newest last; null when that is not known. */
export function expectedGenerations(files: WarehouseFiles): readonly (string | null)[] | null {
  try {
    const found: unknown = JSON.parse(readFileSync(fileOf(files), 'utf8'))
    return Array.isArray(found) ? found : null
  } catch {
    return null
  }
}

/** Notes which generations the published copy may have: two while one takes the place of the other. */
export function expectGenerations(files: WarehouseFiles, generations: readonly (string | null)[]): void {
  replaceFile(fileOf(files), JSON.stringify(generations), PRIVATE)
}

const fileOf = ({ folder }: WarehouseFiles) => join(folder, 'generation.json')
