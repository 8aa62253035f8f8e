import { realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { loadConfig, type Overrides, readSources } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { pathFrom } from '../settings/secret-file.ts'

/** What lies beside the file of a warehouse under its name. */
const COMPANIONS = ['.wal', '.report-runs.ndjson', '.deliveries.ndjson']

/**
 * Sees to it that what a command writes does not take the place of what it reads: by real paths, since a link may lead there.
 * @param what names the path: `--to`
 * @throws ConfigError when it is the warehouse or of it, the configuration, a secret, or the health file
 */
export async function refuseToOverwriteInputs(
  path: string | undefined,
  what: string,
  overrides: Overrides,
): Promise<void> {
  if (path === undefined) return
  const wanted = realOf(path)
  // A lake has it in the folder of the sync, whose own files but one are no JSON.
  const mayLieIn = what === HEALTH && wanted.endsWith('.json') && basename(wanted) !== 'generation.json'
  const taken = await takenPaths(overrides)
  const is = taken.find(([one, by]) => {
    const real = realOf(one)
    return by !== what && (real === wanted || (wanted.startsWith(real + sep) && !mayLieIn))
  })
  if (is === undefined) return
  throw new ConfigError(
    `${what} would replace ${path}, which is ${is[1] === HEALTH ? 'the health file' : is[1]}.`,
    {
      next: 'Name another file.',
    },
  )
}

/** The name of the option that may name the health file itself. */
const HEALTH = 'schedule.healthFile'

/** Files, and folders with all that is in them, and what they are. */
async function takenPaths(overrides: Overrides): Promise<[path: string, by: string][]> {
  const { path, file } = readSources(overrides)
  const { warehouse, schedule } = loadConfig(overrides)
  const { name, folder } = (await resolveStorage(warehouse)).files
  return [
    [path, 'the configuration'],
    [join(dirname(path), '.env'), 'a part of the configuration'],
    [name, 'the warehouse'],
    // Beside what a link leads to, as the folder of the sync is.
    ...COMPANIONS.map((end): [string, string] => [realOf(name) + end, 'a part of the warehouse']),
    [folder, 'a part of the warehouse'],
    ...secretFiles(file?.data).map((one): [string, string] => [
      pathFrom(dirname(path), one)!,
      'a file of a secret',
    ]),
    [schedule.healthFile, HEALTH],
  ]
}

/** Every field whose name ends in `File` is of a secret, but for the one that is written. */
function secretFiles(fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null) return []
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== 'string') return secretFiles(value)
    return name.endsWith('File') && name !== 'healthFile' ? [value] : []
  })
}

/** Where a path leads; of what is not there yet, where it would be. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realOf(folder), basename(path))
  }
}
