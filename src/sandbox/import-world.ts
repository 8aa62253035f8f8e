import type { z } from 'zod'
import { type Channel, channel } from '../contract/channel.ts'
import { type Incident, incident } from '../contract/incident.ts'
import { member } from '../contract/member.ts'
import { folderRuleStatus } from '../contract/monit.ts'
import { type PostMortem, postMortem } from '../contract/post-mortem.ts'
import { team } from '../contract/team.ts'
import { ConfigError } from '../errors.ts'
import { importedIncidents } from './imported-incidents.ts'
import { readRecords } from './read-records.ts'
import type { World } from './sandbox.ts'
import type { Account, Folder, MonitRule } from './store/account.ts'
import { buildCallers, buildRoles } from './world/account-roles.ts'

/**
 * Serves records from files in the document's shapes: `incidents.ndjson[.gz]`, and where present `channels`, `teams`,
 * `members`, `post_mortems` and `folders`. Incidents are given out exactly as they stand there, whatever the clock says.
 * @throws ConfigError naming the file and the line that does not fit
 */
export function importWorld(directory: string): World {
  const incidents = readRecords(directory, 'incidents', incident)
  if (incidents === undefined) {
    throw new ConfigError(`${directory} holds no incidents.ndjson or incidents.ndjson.gz`, {
      next: 'Name a directory that does.',
    })
  }
  const reports = new Map(
    (readRecords(directory, 'post_mortems', postMortem) ?? []).map(({ record }) => [
      record.meta.post_mortem_id,
      record,
    ]),
  )
  return {
    account: accountOf(
      directory,
      incidents.map(({ record }) => record),
    ),
    incidents: importedIncidents(incidents),
    alert: () => undefined,
    alertIds: () => [],
    postMortem: (id): PostMortem | undefined => reports.get(id),
    postMortemIds: (most) => [...reports.keys()].slice(0, most),
  }
}

function accountOf(directory: string, incidents: readonly Incident[]): Account {
  const records = <Schema extends z.ZodType>(name: string, schema: Schema) =>
    (readRecords(directory, name, schema) ?? []).map(({ record }) => record)
  const accountId = incidents[0]?.account_id ?? 1
  const callers = buildCallers(accountId, 1, 0)
  const channels: Channel[] = records('channels', channel)
  const statuses = records('folders', folderRuleStatus)
  return {
    account_id: accountId,
    channels: new Map(channels.map((one) => [one.channel_id, one])),
    exclusionRules: new Map(),
    teams: new Map(records('teams', team).map((one) => [one.team_id, one])),
    members: new Map(records('members', member).map((one) => [one.member_id, one])),
    callers: new Map(callers.map((one) => [one.member_id, one])),
    roles: buildRoles(),
    templates: new Map(),
    calendars: new Map(),
    schedules: new Map(),
    folders: new Map(
      statuses.map((one): [Folder['folder_id'], Folder] => [
        one.folder_id,
        { folder_id: one.folder_id, folder_name: one.folder_name, parent_id: 0, given: one },
      ]),
    ),
    rules: new Map<MonitRule['id'], MonitRule>(),
    routingSince: new Map(),
  }
}
