import { stringifyJson } from '../../contract/json.ts'
import {
  between,
  fixed,
  inQuotes,
  jsonObject,
  optional,
  piecesOnce,
  type Shape,
  type Slot,
  writerOf,
} from '../json-shape.ts'
import { pieceOf } from '../json-writer.ts'
import { hash, hex8 } from '../random.ts'
import type { Assignment } from './assign.ts'
import { CHECKS } from './checks.ts'
import type { ChannelSlot, Company } from './company.ts'
import { impactOf, titleOf } from './describe.ts'
import type { IncidentState } from './incident-state.ts'
import type { PhraseJson, PlaceJson } from './phrase-json.ts'
import type { SourceJson } from './source-json.ts'
import type { StoryTable } from './story-table.ts'

const CONSOLE = 'https://console.sandbox.invalid/incident'
const NO_RULE = '000000000000000000000000'

const [TRUE, FALSE, COMMA] = [pieceOf('true'), pieceOf('false'), pieceOf(',')]
const [EMPTY_TEXT, NO_FIELDS] = [pieceOf('""'), pieceOf('{}')]
const [RARE, FREQUENT] = [pieceOf('"rare"'), pieceOf('"frequent"')]
const [SEVERITY_EDITED, NOT_EDITED] = [pieceOf('["incident_severity"]'), pieceOf('[]')]
const RULE_NAME = pieceOf('"Default escalation"')

/** An incident as its record tells it. */
export interface Told {
  i: number
  state: IncidentState
  /** Undefined for a standalone incident. */
  slot: ChannelSlot | undefined
  phrase: PhraseJson
  place: PlaceJson
  source: SourceJson
  /** Member numbers, 0 for nobody. */
  creator: number
  owner: number
  /** Number of the escalation rule, 0 for none. */
  rule: number
  /** Empty when there is none, or not yet. */
  postMortemId: string
}

/** What writes the record as incident/list sends it, about 2 KB, in the order of the document's table. */
export function incidentWriter(table: StoryTable, seed: number, company: Company): Slot<Told> {
  const quoted = piecesOnce((text) => JSON.stringify(text))
  const memberIds = ['0', ...company.members.map((member) => String(member.member_id))].map(pieceOf)
  const people = company.members.map(({ member_id, member_name, email }) =>
    pieceOf(stringifyJson({ person_id: member_id, person_name: member_name, email })),
  )
  const channelIds = ['0', ...company.channelSlots.map((slot) => String(slot.channel.channel_id))].map(
    pieceOf,
  )
  const rules = [
    NO_RULE,
    ...company.channelSlots.map((_, k) => hex8(hash(seed, k, 250)) + hex8(hash(seed, k, 251)) + hex8(k)),
  ].map(pieceOf)

  const checks = CHECKS.map(({ name, cause, fix }) => ({
    name: quoted(name),
    cause: quoted(cause),
    fix: quoted(fix),
  }))

  const id: Slot<Told> = ({ i }, out) => {
    out.hex(table.start[i]!, 8)
    out.hex(i, 6)
    out.hex(hash(seed, i, 280), 4)
    out.hex(hash(seed, i, 281), 6)
  }
  const assignmentId: Slot<Told> = ({ i, state }, out) => {
    if (state.assignedAt === 0) return
    out.hex(table.start[i]!, 8)
    out.hex(i >>> 8, 4)
    out.hex(state.assignedAt, 8)
  }
  const customFields = writerOf<Told>(
    jsonObject({
      customer_impact: ({ i }, out) => out.piece(table.severity[i] === 0 ? TRUE : FALSE),
      affected_customers: ({ i }, out) => out.integer(hash(seed, i, 260) % 900),
      incident_type: ({ i }, out) => out.piece(checks[table.check[i]!]!.name),
    }),
  )
  const responder = writerOf<Assignment>(
    jsonObject({
      person_id: ({ member }, out) => out.piece(memberIds[member]!),
      assigned_at: ({ assignedAt }, out) => out.integer(assignedAt),
      acknowledged_at: ({ acknowledgedAt }, out) => out.integer(acknowledgedAt),
    }),
  )
  const ofEach = (write: Slot<Assignment>): Shape<Told> =>
    between(
      '[',
      ({ state: { responders } }, out) => {
        for (let k = 0; k < responders.length; k++) {
          if (k > 0) out.piece(COMMA)
          write(responders[k]!, out)
        }
      },
      ']',
    )
  /** Written when the incident is explained, empty until then. */
  const explained = (write: Slot<Told>): Slot<Told> => {
    return (told, out) => (told.state.isExplained ? write(told, out) : out.piece(EMPTY_TEXT))
  }

  return writerOf<Told>(
    jsonObject({
      incident_id: inQuotes(id),
      account_id: fixed(String(company.accountId)),
      account_name: fixed('"Meridian Retail"'),
      account_locale: fixed('"en-US"'),
      account_time_zone: fixed('"Europe/Berlin"'),
      channel_id: ({ i, slot }, out) => out.piece(channelIds[slot === undefined ? 0 : table.channel[i]!]!),
      integration_id: ({ source }, out) => out.piece(source.id),
      integration_ids: ({ source }, out) => out.piece(source.ids),
      integration_types: ({ source }, out) => out.piece(source.types),
      dedup_key: ({ phrase, place }, out) => phrase.dedupKey(place, out),
      equals_md5: inQuotes(({ i }, out) => {
        for (let salt = 253; salt <= 256; salt++) out.hex(hash(seed, i, salt), 8)
      }),
      start_time: ({ i }, out) => out.integer(table.start[i]!),
      end_time: ({ state }, out) => out.integer(state.end),
      last_time: ({ state }, out) => out.integer(state.last),
      ack_time: ({ state }, out) => out.integer(state.ack),
      close_time: ({ state }, out) => out.integer(state.close),
      creator_id: ({ creator }, out) => out.piece(memberIds[creator]!),
      closer_id: ({ state }, out) => out.piece(memberIds[state.closer]!),
      owner_id: ({ owner }, out) => out.piece(memberIds[owner]!),
      incident_status: ({ state }, out) => out.piece(quoted(state.status)),
      incident_severity: ({ state }, out) => out.piece(quoted(state.severity)),
      progress: ({ state }, out) => out.piece(quoted(state.progress)),
      title: ({ i, slot }, out) => out.quoted(titleOf(table, i, seed, slot)),
      description: ({ phrase, place }, out) => phrase.description(place, out),
      ai_summary: ({ phrase, place, state }, out) =>
        state.isSummarised ? phrase.summary(place, out) : out.piece(EMPTY_TEXT),
      impact: explained(({ i, slot }, out) => out.quoted(impactOf(table, i, seed, slot))),
      root_cause: explained(({ i }, out) => out.piece(checks[table.check[i]!]!.cause)),
      resolution: explained(({ i }, out) => out.piece(checks[table.check[i]!]!.fix)),
      num: inQuotes(({ i }, out) => out.upperHex(hash(seed, i, 281), 6)),
      frequency: ({ i }, out) => out.piece(isRare(seed, i) ? RARE : FREQUENT),
      deleted_at: ({ state }, out) => out.integer(state.deletedAt),
      created_at: ({ i }, out) => out.integer(table.created[i]!),
      updated_at: ({ state }, out) => out.integer(state.updated),
      snoozed_before: ({ state }, out) => out.integer(state.snoozedBefore),
      group_method: ({ creator, slot }, out) =>
        out.piece(quoted((creator === 0 && (slot?.channel.group?.method as string | undefined)) || 'n')),
      ever_muted: ({ i }, out) => out.piece(table.muted[i] === 1 ? TRUE : FALSE),
      labels: ({ phrase, place }, out) => phrase.labels(place, out),
      fields: (told, out) =>
        hash(seed, told.i, 259) % 3 === 0 ? customFields(told, out) : out.piece(NO_FIELDS),
      assigned_to: jsonObject<Told>({
        person_ids: ofEach(({ member }, out) => out.piece(memberIds[member]!)),
        escalate_rule_id: inQuotes(({ rule }, out) => out.piece(rules[rule]!)),
        layer_idx: ({ state }, out) => out.integer(state.layer),
        type: ({ state }, out) => out.piece(quoted(state.assignedBy)),
        assigned_at: ({ state }, out) => out.integer(state.assignedAt),
        id: inQuotes(assignmentId),
        escalate_rule_name: ({ rule }, out) => out.piece(rule === 0 ? EMPTY_TEXT : RULE_NAME),
      }),
      reporter_email: optional(
        ({ creator }) => creator !== 0,
        ({ creator }, out) => out.text(`"reporter${creator}@example.invalid"`),
      ),
      alert_cnt: ({ state }, out) => out.integer(state.alerts),
      active_alert_cnt: ({ state }, out) => out.integer(state.active),
      alert_event_cnt: ({ state }, out) => out.integer(state.events),
      closer: optional(
        ({ state }) => state.closer !== 0,
        ({ state }, out) => out.piece(people[state.closer - 1]!),
      ),
      creator: optional(
        ({ creator }) => creator !== 0,
        ({ creator }, out) => out.piece(people[creator - 1]!),
      ),
      owner: optional(
        ({ owner }) => owner !== 0,
        ({ owner }, out) => out.piece(people[owner - 1]!),
      ),
      responders: ofEach(responder),
      channel_name: ({ slot }, out) => out.piece(quoted(slot?.channel.channel_name ?? '')),
      channel_status: ({ slot }, out) => out.piece(quoted(slot?.channel.status ?? '')),
      detail_url: between(`"${CONSOLE}/detail/`, id, '"'),
      silence_url: between(`"${CONSOLE}/silence/`, id, '"'),
      links: fixed('[]'),
      integration_type: ({ source }, out) => out.piece(source.type),
      post_mortem_id: ({ postMortemId }, out) =>
        postMortemId === '' ? out.piece(EMPTY_TEXT) : out.quoted(postMortemId),
      images: fixed('null'),
      manual_overrides: ({ state }, out) => out.piece(state.isEdited ? SEVERITY_EDITED : NOT_EDITED),
      data_source_id: ({ source }, out) => out.piece(source.id),
      data_source_ids: ({ source }, out) => out.piece(source.ids),
      data_source_types: ({ source }, out) => out.piece(source.types),
      data_source_type: ({ source }, out) => out.piece(source.type),
    }),
  )
}

/** Whether nothing like it happened lately. */
export function isRare(seed: number, i: number): boolean {
  return hash(seed, i, 261) % 11 === 0
}
