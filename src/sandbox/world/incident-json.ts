import type { Int64 } from '../../contract/int64.ts'
import { stringifyJson } from '../../contract/json.ts'
import { hash, hex8 } from '../random.ts'
import { CHECKS } from './checks.ts'
import { type ChannelSlot, type Company, idOf } from './company.ts'
import { impactOf, LABELS, type Phrase, phraseKey, phraseOf, titleOf } from './describe.ts'
import type { IncidentState } from './incident-state.ts'
import { INTEGRATIONS } from './names.ts'
import type { StoryTable } from './story-table.ts'

const CONSOLE = 'https://console.sandbox.invalid/incident'
const NO_RULE = '000000000000000000000000'

/** Parts of the text that many incidents share, written once. */
export interface JsonParts {
  readonly account: string
  readonly memberIds: readonly string[]
  readonly people: readonly string[]
  /** By number of the main source; `both` names the next one too. */
  readonly sources: readonly { readonly one: SourceParts; readonly both: SourceParts }[]
  readonly noSource: SourceParts
  readonly rules: readonly string[]
  /** By `phraseKey`, filled on the way. */
  readonly phrases: Map<number, PhraseParts>
}

/** The integration fields at the front of a record, and their deprecated aliases at its end. */
interface SourceParts {
  readonly type: string
  readonly fields: string
  readonly aliases: string
}

/** A phrase as JSON. */
interface PhraseParts {
  readonly description: string
  readonly summary: string
  readonly dedupKey: string
  readonly labels: string
}

/** Prepares the shared parts. */
export function jsonParts(seed: number, company: Company): JsonParts {
  const sources = INTEGRATIONS.map(([type], k) => ({ id: idOf(6_113_996_590_131, k, 0), type }))
  return {
    account: `"account_id":${company.accountId},"account_name":"Meridian Retail","account_locale":"en-US","account_time_zone":"Europe/Berlin"`,
    memberIds: ['0', ...company.members.map((member) => String(member.member_id))],
    people: [
      'null',
      ...company.members.map((member) =>
        stringifyJson({ person_id: member.member_id, person_name: member.member_name, email: member.email }),
      ),
    ],
    sources: sources.map((source, k) => ({
      one: sourceParts([source]),
      both: sourceParts([source, sources[(k + 1) % sources.length]!]),
    })),
    noSource: sourceParts([]),
    rules: [
      NO_RULE,
      ...company.channelSlots.map((_, k) => hex8(hash(seed, k, 250)) + hex8(hash(seed, k, 251)) + hex8(k)),
    ],
    phrases: new Map(),
  }
}

function sourceParts(sources: readonly { id: Int64; type: string }[]): SourceParts {
  const [first] = sources
  const type = first?.type ?? ''
  const ids = `[${sources.map((source) => source.id).join(',')}]`
  const types = JSON.stringify(sources.map((source) => source.type))
  const fields = (name: string) =>
    `"${name}_id":${first?.id ?? 0},"${name}_ids":${ids},"${name}_types":${types}`
  return {
    type,
    fields: flat(fields('integration')),
    aliases: flat(`${fields('data_source')},"data_source_type":"${type}"`),
  }
}

function phraseParts(phrase: Phrase): PhraseParts {
  const { labels } = phrase
  return {
    description: flat(JSON.stringify(phrase.description)),
    summary: flat(JSON.stringify(phrase.summary)),
    dedupKey: flat(JSON.stringify(phrase.dedupKey)),
    labels: flat(
      labels === undefined
        ? '{}'
        : JSON.stringify(Object.fromEntries(labels.map((value, k) => [LABELS[k]!, value]))),
    ),
  }
}

/** The same text in one piece: what is put together from pieces costs again each time it is copied. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}

/** Facts of incident `i` that do not change. */
export interface IncidentFacts {
  id: string
  /** Undefined for a standalone incident. */
  slot: ChannelSlot | undefined
  postMortemId: string
}

/** The record as incident/list sends it, about 2 KB, in the order of the document's table. */
export function incidentJson(
  table: StoryTable,
  i: number,
  seed: number,
  state: IncidentState,
  facts: IncidentFacts,
  parts: JsonParts,
): string {
  const { id, slot } = facts
  const start = table.start[i]!
  const isManual = table.creator[i] !== 0
  const sources = parts.sources[hash(seed, i, 251) % parts.sources.length]!
  const hasTwo = state.alerts > 4 && hash(seed, i, 252) % 4 === 0
  const source = isManual ? parts.noSource : hasTwo ? sources.both : sources.one
  const key = phraseKey(table, i, seed, slot)
  let phrase = parts.phrases.get(key)
  if (phrase === undefined) {
    phrase = phraseParts(phraseOf(table, i, seed, slot))
    parts.phrases.set(key, phrase)
  }
  const check = CHECKS[table.check[i]!]!
  const owner = state.responders.findLast((one) => one.acknowledgedAt !== 0)?.member ?? 0
  const creator = table.creator[i]!
  const channelId = slot === undefined ? '0' : String(slot.channel.channel_id)
  const rule = state.responders.length === 0 ? NO_RULE : parts.rules[table.channel[i]!]!
  let personIds = ''
  let responders = ''
  for (const one of state.responders) {
    const person = parts.memberIds[one.member]!
    personIds += personIds === '' ? person : `,${person}`
    responders += `${responders === '' ? '' : ','}{"person_id":${person},"assigned_at":${one.assignedAt},"acknowledged_at":${one.acknowledgedAt}}`
  }
  return (
    `{"incident_id":"${id}",${parts.account},"channel_id":${channelId},${source.fields},"dedup_key":${phrase.dedupKey},` +
    `"equals_md5":"${hex8(hash(seed, i, 253))}${hex8(hash(seed, i, 254))}${hex8(hash(seed, i, 255))}${hex8(hash(seed, i, 256))}",` +
    `"start_time":${start},"end_time":${state.end},"last_time":${state.last},"ack_time":${state.ack},"close_time":${state.close},` +
    `"creator_id":${parts.memberIds[creator]},"closer_id":${parts.memberIds[state.closer]},"owner_id":${parts.memberIds[owner]},` +
    `"incident_status":"${state.status}","incident_severity":"${state.severity}","progress":"${state.progress}",` +
    `"title":${JSON.stringify(titleOf(table, i, seed, slot))},"description":${phrase.description},` +
    `"ai_summary":${state.isSummarised ? phrase.summary : '""'},` +
    (state.isExplained
      ? `"impact":${JSON.stringify(impactOf(table, i, seed, slot))},"root_cause":${JSON.stringify(check.cause)},"resolution":${JSON.stringify(check.fix)},`
      : '"impact":"","root_cause":"","resolution":"",') +
    `"num":"${id.slice(18).toUpperCase()}","frequency":"${isRare(seed, i) ? 'rare' : 'frequent'}","deleted_at":${state.deletedAt},` +
    `"created_at":${table.created[i]},"updated_at":${state.updated},"snoozed_before":${state.snoozedBefore},` +
    `"group_method":"${isManual ? 'n' : ((slot?.channel.group?.method as string | undefined) ?? 'n')}","ever_muted":${table.muted[i] === 1},` +
    `"labels":${phrase.labels},` +
    `"fields":${hash(seed, i, 259) % 3 === 0 ? `{"customer_impact":${table.severity[i] === 0},"affected_customers":${hash(seed, i, 260) % 900},"incident_type":"${check.name}"}` : '{}'},` +
    `"assigned_to":{"person_ids":[${personIds}],"escalate_rule_id":"${rule}","layer_idx":${state.layer},"type":"${state.assignedBy}","assigned_at":${state.assignedAt},` +
    `"id":"${state.assignedAt === 0 ? '' : id.slice(0, 12) + hex8(state.assignedAt)}","escalate_rule_name":"${rule === NO_RULE ? '' : 'Default escalation'}"},` +
    (isManual ? `"reporter_email":"reporter${creator}@example.invalid",` : '') +
    `"alert_cnt":${state.alerts},"active_alert_cnt":${state.active},"alert_event_cnt":${state.events},` +
    (state.closer === 0 ? '' : `"closer":${parts.people[state.closer]},`) +
    (creator === 0 ? '' : `"creator":${parts.people[creator]},`) +
    (owner === 0 ? '' : `"owner":${parts.people[owner]},`) +
    `"responders":[${responders}],"channel_name":${slot === undefined ? '""' : JSON.stringify(slot.channel.channel_name)},` +
    `"channel_status":"${slot?.channel.status ?? ''}","detail_url":"${CONSOLE}/detail/${id}","silence_url":"${CONSOLE}/silence/${id}",` +
    `"links":[],"integration_type":"${source.type}","post_mortem_id":"${facts.postMortemId}","images":null,` +
    `"manual_overrides":${state.isEdited ? '["incident_severity"]' : '[]'},` +
    `${source.aliases}}`
  )
}

/** Whether nothing like it happened lately. */
export function isRare(seed: number, i: number): boolean {
  return hash(seed, i, 261) % 11 === 0
}
