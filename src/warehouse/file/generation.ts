import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { replaceFile } from '../../effects.ts'
import { readNotes, writeNotes } from '../schema/file-metadata.ts'
import { PRIVATE, type WarehouseFiles } from './files.ts'

/** Key in `faultline_meta` for the publication that created the file. */
export const KEY = 'generation'

/** Key for the publications before that one, newest first. A lake might still contain one of them. */
const FORMER = 'former generations'
/** After this many failed publications in a row, a working file no longer counts as based on the published copy. */
const FORMER_KEPT = 50

export async function renewGeneration(connection: DuckDBConnection): Promise<void> {
  await writeNotes(connection, new Map([[KEY, randomUUID()]]))
}

/** Gives the file a new generation and records the previous one. */
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

/** Returns the generations of the open file, the current one first. */
export async function lineageOf(connection: DuckDBConnection): Promise<string[]> {
  const notes = await readNotes(connection)
  return [notes.get(KEY) ?? [], notes.get(FORMER)?.split(' ') ?? []].flat()
}

/** Returns the generation of the open file, or null if it has none. */
export async function generationOf(connection: DuckDBConnection): Promise<string | null> {
  return (await readNotes(connection)).get(KEY) ?? null
}

/** Returns the generations that the published copy can have, with the newest last, or null if unknown. */
export function expectedGenerations(files: WarehouseFiles): readonly (string | null)[] | null {
  try {
    const found: unknown = JSON.parse(readFileSync(fileOf(files), 'utf8'))
    return Array.isArray(found) ? found : null
  } catch {
    return null
  }
}

/** Records the generations that the published copy can have. While one copy replaces another, there are two. */
export function expectGenerations(files: WarehouseFiles, generations: readonly (string | null)[]): void {
  replaceFile(fileOf(files), JSON.stringify(generations), PRIVATE)
}

const fileOf = ({ folder }: WarehouseFiles) => join(folder, 'generation.json')
