import { realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { loadConfig, type Overrides, readSources } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { pathFrom } from '../settings/secret-file.ts'

/** Suffixes of files that are stored next to the warehouse file and begin with its name. */
const COMPANIONS = ['.wal', '.report-runs.ndjson', '.deliveries.ndjson']

/** Refuses an output path that would replace an input of the program, even through links. @throws ConfigError */
export async function refuseToOverwriteInputs(
  path: string | undefined,
  what: string,
  overrides: Overrides,
): Promise<void> {
  if (path === undefined) return
  const wanted = realOf(path)
  // The health file of a lake may be in the sync folder, but must not replace generation.json.
  const mayLieIn = what === HEALTH && wanted.endsWith('.json') && basename(wanted) !== 'generation.json'
  const taken = await takenPaths(overrides)
  const found = taken.find(([one, by]) => {
    const real = realOf(one)
    return by !== what && (real === wanted || (wanted.startsWith(real + sep) && !mayLieIn))
  })
  if (found === undefined) return
  const which = found[1] === HEALTH ? 'the health file' : found[1]
  throw new ConfigError(`${what} would replace ${path}, which is ${which}.`, {
    next: 'Specify another file.',
  })
}

const HEALTH = 'schedule.healthFile'

async function takenPaths(overrides: Overrides): Promise<[path: string, by: string][]> {
  const { path, file } = readSources(overrides)
  const { warehouse, schedule } = loadConfig(overrides)
  const { name, folder } = (await resolveStorage(warehouse)).files
  const secrets = secretFiles(file?.data).map((one) => pathFrom(dirname(path), one)!)
  return [
    [path, 'the configuration'],
    [join(dirname(path), '.env'), 'part of the configuration'],
    [name, 'the warehouse'],
    // If the warehouse path is a link, these files are next to the linked file.
    ...COMPANIONS.map((end): [string, string] => [realOf(name) + end, 'part of the warehouse']),
    [folder, 'part of the warehouse'],
    ...secrets.map((one): [string, string] => [one, 'a secret file']),
    [schedule.healthFile, HEALTH],
  ]
}

/** Returns the paths of secret files, which are in all fields whose names end in `File`, except `healthFile`. */
function secretFiles(fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null) return []
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== 'string') return secretFiles(value)
    return name.endsWith('File') && name !== 'healthFile' ? [value] : []
  })
}

/** Resolves links in a path. If the file does not exist, resolves the links in its folder's path. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realOf(folder), basename(path))
  }
}
