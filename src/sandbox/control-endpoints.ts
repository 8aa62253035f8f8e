import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { PRESET_TEMPLATE_ID } from '../contract/assumptions.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Clock } from './clock.ts'
import { CONTROL_PREFIX, checkSideDoor } from './control-guard.ts'
import { type FaultInjector, faultsSchema } from './faults.ts'
import type { Journal } from './journal.ts'
import type { AppKey } from './keys.ts'
import { readBody } from './read-body.ts'
import type { Stats } from './request-stats.ts'
import { failureText, invalidParameter, newRequestId, Refusal } from './responses.ts'
import type { World } from './store/world.ts'

/** Handles a control request, which needs no key, but must come from a program on this machine. */
export type Control = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>

interface ControlParts {
  world: World
  clock: Clock
  journal: Journal
  stats: Stats
  faults: FaultInjector
  keys: readonly AppKey[]
}

const time = z.int().min(0).max(0xffff_fffe)
const clockSchema = z.union([z.strictObject({ now: time }), z.strictObject({ advance_s: z.int() })])
const MOST = 20
const CHUNK_CHARACTERS = 256 * 1_024

export function isTime(seconds: number): boolean {
  return time.safeParse(seconds).success
}

export function setClock({ clock, journal }: Pick<ControlParts, 'clock' | 'journal'>, now: number): void {
  journal.moved(now)
  clock.set(now)
}

export function createControl(parts: ControlParts): Control {
  const { world, clock, journal, stats, faults, keys } = parts

  const readers: Record<string, (request: IncomingMessage) => unknown> = {
    world: (request) => describeWorld(world, clock, keys, `http://${request.headers.host}`),
    stats: () => stats.report(),
    audit: () => journal.entries,
    state: () => stateOf(world),
    faults: () => faults.current,
    clock: () => ({ now: clock.now() }),
  }
  const writers: Record<string, (input: unknown) => unknown> = {
    clock(input) {
      const move = parse(clockSchema, input)
      const now = 'now' in move ? move.now : clock.now() + move.advance_s
      if (!isTime(now)) throw invalidParameter('advance_s')
      setClock(parts, now)
      return { now }
    },
    faults(input) {
      faults.current = parse(faultsSchema, input)
      return faults.current
    },
  }

  return async (request, response, path) => {
    try {
      checkSideDoor(request)
      const name = path.slice(CONTROL_PREFIX.length)
      if (name === 'truth' && request.method === 'GET') return await sendTruth(world, response)
      const [table, input] =
        request.method === 'POST' ? [writers, await readBody(request, true)] : ([readers, request] as const)
      if (!Object.hasOwn(table, name)) throw new Refusal('RouteNotFound')
      send(response, 200, stringifyJson(table[name]!(input as IncomingMessage)))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      send(response, error.status, failureText(newRequestId(Date.now()), error.code, error.message))
    }
  }
}

async function sendTruth(world: World, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
  let text = ''
  for (const line of truthOf(world)) {
    text += `${line}\n`
    if (text.length < CHUNK_CHARACTERS) continue
    if (!response.write(text)) await once(response, 'drain')
    text = ''
    if (response.destroyed) return
  }
  response.end(text)
}

/** Yields incidents as JSON, exactly as the list would return them now. */
export function* truthOf({ incidents }: World): Generator<string> {
  for (let index = 0; index < incidents.count(); index++)
    if (incidents.isListed(index)) yield incidents.json(index)
}

/**
 * Returns everything except incidents that requests and faults can change, so that tests can compare it before and
 * after.
 */
function stateOf({ account }: World): Record<string, unknown> {
  const { channels, exclusionRules, roles, templates, calendars, members, callers, teams, rules } = account
  const lists = { channels, exclusionRules, roles, templates, calendars, members, callers, teams, rules }
  return Object.fromEntries(Object.entries(lists).map(([name, map]) => [name, [...map.values()]]))
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw invalidParameter(String(result.error.issues[0]?.path[0] ?? ''))
}

function send(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }
  response.writeHead(status, headers).end(body)
}

function describeWorld(world: World, clock: Clock, keys: readonly AppKey[], baseUrl: string) {
  const { channels, teams, members, schedules, calendars, folders, rules, roles, ...account } = world.account
  const all = Array.from({ length: world.incidents.count() }, (_, index) => index)
  const incidents = all.filter((index) => world.incidents.isListed(index))
  const templates = new Map([...account.templates].filter(([, template]) => template.deleted_at === 0))
  const disabledRules = [...account.exclusionRules.values()].filter(({ status }) => status === 'disabled')
  const maps = { channels, teams, members, schedules, calendars, templates, folders, rules, roles }
  const sizes = Object.entries(maps).map(([name, map]) => [name, map.size])
  return {
    base_url: baseUrl,
    now: clock.now(),
    account_id: account.account_id,
    counts: { incidents: incidents.length, ...Object.fromEntries(sizes) },
    app_keys: Object.fromEntries(keys.map(({ name, key }) => [name, key])),
    incidents: incidents.slice(-MOST).reverse().map(world.incidents.idOf),
    alerts: world.alertIds(MOST),
    channels: idsOf(channels, ({ status }) => status === 'enabled'),
    disabled_channels: idsOf(channels, ({ status }) => status === 'disabled'),
    disabled_exclusion_rules: disabledRules
      .slice(0, MOST)
      .map(({ channel_id, rule_id }) => ({ channel_id, rule_id })),
    teams: idsOf(teams),
    schedules: idsOf(schedules),
    calendars: idsOf(calendars),
    free_templates: idsOf(
      templates,
      ({ references, template_id }) => references.length === 0 && template_id !== PRESET_TEMPLATE_ID,
    ),
    referenced_templates: idsOf(templates, ({ references }) => references.length > 0),
    rules: idsOf(rules),
    folders: idsOf(folders),
    custom_roles: idsOf(roles, ({ built_in }) => !built_in),
    builtin_roles: idsOf(roles, ({ built_in }) => built_in),
    members: idsOf(members),
    post_mortems: world.postMortemIds(MOST),
  }
}

function idsOf<Id, One>(all: ReadonlyMap<Id, One>, isMeant: (one: One) => boolean = () => true): Id[] {
  const meant = [...all].filter(([, one]) => isMeant(one))
  return meant.slice(0, MOST).map(([id]) => id)
}
