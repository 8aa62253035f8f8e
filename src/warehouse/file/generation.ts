import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { replaceFile } from '../../effects.ts'
import { readNotes, writeNotes } from '../schema/file-metadata.ts'
import { PRIVATE, type WarehouseFiles } from './files.ts'

/** Key in `faultline_meta` for the generation: a random id that changes with each publication. */
export const KEY = 'generation'

/** Key for earlier generations, newest first. After a failed publication, the lake contains one of them. */
const FORMER = 'former generations'
/**
 * Maximum number of earlier generations to keep. If more publications fail in a row, the next sync starts from the lake
 * again.
 */
const FORMER_KEPT = 50

export async function renewGeneration(connection: DuckDBConnection): Promise<void> {
  await writeNotes(connection, new Map([[KEY, randomUUID()]]))
}

export async function succeedGeneration(connection: DuckDBConnection): Promise<void> {
  const former = (await lineageOf(connection)).slice(0, FORMER_KEPT).join(' ')
  await writeNotes(connection, new Map(Object.entries({ [KEY]: randomUUID(), [FORMER]: former })))
}

/** Returns the current generation of the open file, followed by earlier ones. */
export async function lineageOf(connection: DuckDBConnection): Promise<string[]> {
  const notes = await readNotes(connection)
  return [notes.get(KEY) ?? [], notes.get(FORMER)?.split(' ') ?? []].flat()
}

export async function generationOf(connection: DuckDBConnection): Promise<string | null> {
  return (await readNotes(connection)).get(KEY) ?? null
}

/** Returns the possible generations of the published copy, newest last, or null if they are not recorded. */
export function expectedGenerations(files: WarehouseFiles): readonly (string | null)[] | null {
  try {
    const found: unknown = JSON.parse(readFileSync(fileOf(files), 'utf8'))
    return Array.isArray(found) ? found : null
  } catch {
    return null
  }
}

/**
 * Records which generations the published copy may have. While one copy replaces another, both generations are
 * possible.
 */
export function expectGenerations(files: WarehouseFiles, generations: readonly (string | null)[]): void {
  replaceFile(fileOf(files), JSON.stringify(generations), PRIVATE)
}

/** Runs `act`, which replaces the published copy. If the process dies meanwhile, both generations stay valid. */
export async function replaceGeneration<Result>(
  files: WarehouseFiles,
  next: string | null,
  act: () => Promise<Result>,
): Promise<Result> {
  expectGenerations(files, [...(expectedGenerations(files) ?? []), next])
  const result = await act()
  expectGenerations(files, [next])
  return result
}

const fileOf = ({ folder }: WarehouseFiles) => join(folder, 'generation.json')
