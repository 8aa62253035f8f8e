import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { channel } from '../contract/channel.ts'
import { type Incident, incident } from '../contract/incident.ts'
import { parseJson } from '../contract/json.ts'
import { folderRuleStatus } from '../contract/monit.ts'
import { member, team } from '../contract/organization.ts'
import { postMortem } from '../contract/post-mortem.ts'
import { tolerant } from '../contract/tolerant.ts'
import { ConfigError } from '../errors.ts'
import { type Account, type Folder, type Incidents, keyedBy, type World } from './store/world.ts'
import { buildCallers, buildRoles } from './world/roles.ts'

/**
 * Reads `incidents.ndjson[.gz]` and optional files for channels, teams, members, post-mortems and folders. The sandbox
 * sends these incidents unchanged, whatever the time on its clock.
 * @throws ConfigError with file and line of an invalid record
 */
export function importWorld(directory: string): World {
  const incidents = readRecords(directory, 'incidents', incident)
  if (incidents === undefined) {
    throw new ConfigError(`${directory} has neither incidents.ndjson nor incidents.ndjson.gz`, {
      next: 'Specify a directory with one of them.',
    })
  }
  const records = <Schema extends z.ZodType>(name: string, schema: Schema) =>
    (readRecords(directory, name, schema) ?? []).map(({ record }) => record)
  const reports = new Map(records('post_mortems', postMortem).map((one) => [one.meta.post_mortem_id, one]))
  const accountId = incidents[0]?.record.account_id ?? 1
  const folders = records('folders', folderRuleStatus).map((given): Folder => {
    const { folder_id, folder_name } = given
    return { folder_id, folder_name, parent_id: 0, given }
  })
  const account: Account = {
    account_id: accountId,
    channels: keyedBy(records('channels', channel), 'channel_id'),
    exclusionRules: new Map(),
    teams: keyedBy(records('teams', team), 'team_id'),
    members: keyedBy(records('members', member), 'member_id'),
    callers: keyedBy(buildCallers(accountId, 1, 0), 'member_id'),
    roles: keyedBy(buildRoles(), 'role_id'),
    templates: new Map(),
    calendars: new Map(),
    schedules: new Map(),
    folders: keyedBy(folders, 'folder_id'),
    rules: new Map(),
    routingSince: new Map(),
  }
  return {
    account,
    incidents: importedIncidents(incidents),
    alert: () => undefined,
    alertIds: () => [],
    postMortem: (id) => reports.get(id),
    postMortemIds: (most) => [...reports.keys()].slice(0, most),
  }
}

/** Orders incidents by start and id. If an id is repeated, its last record counts. */
function importedIncidents(given: readonly Imported<Incident>[]): Incidents {
  const byId = new Map(given.map((one) => [one.record.incident_id.toLowerCase(), one]))
  const sorted = [...byId.values()]
    .map(({ record, text }) => ({ id: record.incident_id, start: Number(record.start_time), text }))
    .sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1))
  const numbers = new Map(sorted.map(({ id }, index) => [id.toLowerCase(), index]))
  const closed: boolean[] = []
  const record: Incidents['record'] = (index) => parseJson(sorted[index]!.text) as Incident
  return {
    count: () => sorted.length,
    startOf: (index) => sorted[index]!.start,
    idOf: (index) => sorted[index]!.id,
    isListed: () => true,
    // The text takes a third of the memory of the parsed record, so records are parsed only when needed.
    record,
    isClosedForGood(index) {
      closed[index] ??= record(index).progress === 'Closed'
      return closed[index]
    },
    json: (index) => sorted[index]!.text,
    find: (incidentId) => numbers.get(incidentId.toLowerCase()),
  }
}

interface Imported<T> {
  readonly record: T
  readonly text: string
}

/**
 * Reads a file with one record per line, or returns undefined if it does not exist. @throws ConfigError with the line
 * of an invalid record
 */
function readRecords<Schema extends z.ZodType>(
  directory: string,
  name: string,
  schema: Schema,
): Imported<z.output<Schema>>[] | undefined {
  const path = [`${name}.ndjson`, `${name}.ndjson.gz`]
    .map((file) => join(directory, file))
    .find((file) => existsSync(file))
  if (path === undefined) return undefined
  const bytes = readFileSync(path)
  const lines = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n')
  const accepted = tolerant(schema)
  const read: Imported<z.output<Schema>>[] = []
  for (const [k, line] of lines.entries()) {
    const text = line.trim()
    if (text === '') continue
    try {
      // Fields of the record can be missing, although its type says otherwise.
      read.push({ record: accepted.parse(parseJson(text)) as z.output<Schema>, text })
    } catch (cause) {
      throw new ConfigError(`${path}:${k + 1} is not a valid record: ${whyNot(cause)}.`, {
        cause,
        next: 'Correct the line, or remove the file.',
      })
    }
  }
  return read
}

function whyNot(cause: unknown): string {
  if (!(cause instanceof z.ZodError)) return 'it is not JSON'
  const [{ path, message } = { path: [], message: 'it does not fit' }] = cause.issues
  return `${path.length === 0 ? 'it' : `"${path.join('.')}"`} does not fit (${message})`
}
