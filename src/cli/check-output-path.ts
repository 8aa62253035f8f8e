import { realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { loadConfig, type Overrides, readSources } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { pathFrom } from '../settings/secret-file.ts'

/** Suffixes of the files next to a warehouse file, which begin with its name. */
const COMPANIONS = ['.wal', '.report-runs.ndjson', '.deliveries.ndjson']

/** Prevents a command from overwriting its inputs, even through links. @throws ConfigError naming the input */
export async function refuseToOverwriteInputs(
  path: string | undefined,
  what: string,
  overrides: Overrides,
): Promise<void> {
  if (path === undefined) return
  const wanted = realOf(path)
  // A lake stores the health file in the sync folder, which contains only one other JSON file.
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
      next: 'Specify another file.',
    },
  )
}

/** Configuration field of the health file. */
const HEALTH = 'schedule.healthFile'

/** Files and folders that must not be replaced, with a description. */
async function takenPaths(overrides: Overrides): Promise<[path: string, by: string][]> {
  const { path, file } = readSources(overrides)
  const { warehouse, schedule } = loadConfig(overrides)
  const { name, folder } = (await resolveStorage(warehouse)).files
  return [
    [path, 'the configuration'],
    [join(dirname(path), '.env'), 'part of the configuration'],
    [name, 'the warehouse'],
    // Resolves links first, because the sync folder is next to the real file.
    ...COMPANIONS.map((end): [string, string] => [realOf(name) + end, 'part of the warehouse']),
    [folder, 'part of the warehouse'],
    ...secretFiles(file?.data).map((one): [string, string] => [
      pathFrom(dirname(path), one)!,
      'a secret file',
    ]),
    [schedule.healthFile, HEALTH],
  ]
}

/** Except for the health file, every field whose name ends in `File` is the path of a secret. */
function secretFiles(fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null) return []
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== 'string') return secretFiles(value)
    return name.endsWith('File') && name !== 'healthFile' ? [value] : []
  })
}

/** Resolves links. For a path that does not exist, returns where it would be. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realOf(folder), basename(path))
  }
}
