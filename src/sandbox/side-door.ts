import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { stringifyJson } from '../contract/json.ts'
import { failureText, invalidParameter, Refusal } from './answer.ts'
import type { Clock } from './clock.ts'
import { type FaultDice, faultsSchema } from './faults.ts'
import type { Journal } from './journal.ts'
import type { AppKey } from './keys.ts'
import { readAnyBody } from './read-body.ts'
import { requestId } from './request-id.ts'
import type { World } from './sandbox.ts'
import type { Stats } from './stats.ts'
import { describeWorld } from './world-index.ts'

/** Paths below this are not the service's: they let tests look behind it. */
export const SIDE_DOOR_PREFIX = '/_sandbox/'

/** Answers a request for the side door. It needs no key and no limit, and only serves this machine. */
export type SideDoor = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>

interface SideDoorParts {
  world: World
  clock: Clock
  journal: Journal
  stats: Stats
  dice: FaultDice
  keys: readonly AppKey[]
}

const time = z.int().min(0).max(0xffff_fffe)
const clockSchema = z.union([z.strictObject({ now: time }), z.strictObject({ advance_s: z.int() })])
const CHUNK_CHARACTERS = 256 * 1_024

/** Builds the side door: world, stats, audit, truth, state, clock and faults. */
export function createSideDoor(parts: SideDoorParts): SideDoor {
  const { world, clock, journal, stats, dice, keys } = parts

  const readers: Record<string, (request: IncomingMessage) => unknown> = {
    world: (request) => describeWorld(world, clock, keys, `http://${request.headers.host}`),
    stats: () => stats.report(),
    audit: () => journal.entries,
    state: () => stateOf(world),
    faults: () => dice.faults,
    clock: () => ({ now: clock.now() }),
  }
  const writers: Record<string, (input: unknown) => unknown> = {
    clock(input) {
      const move = parse(clockSchema, input)
      const now = 'now' in move ? move.now : clock.now() + move.advance_s
      if (!time.safeParse(now).success) throw invalidParameter('advance_s')
      journal.moved(now)
      clock.set(now)
      return { now }
    },
    faults(input) {
      dice.faults = parse(faultsSchema, input)
      return dice.faults
    },
  }

  return async (request, response, path) => {
    try {
      if (!isLoopback(request.socket.remoteAddress)) throw new Refusal('RouteNotFound')
      const name = path.slice(SIDE_DOOR_PREFIX.length)
      if (name === 'truth' && request.method === 'GET') return await sendTruth(world, response)
      const [table, input] =
        request.method === 'POST' ? [writers, await readAnyBody(request)] : ([readers, request] as const)
      if (!Object.hasOwn(table, name)) throw new Refusal('RouteNotFound')
      send(response, 200, stringifyJson(table[name]!(input as IncomingMessage)))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      send(response, error.status, failureText(requestId(Date.now()), error.code, error.message))
    }
  }
}

/** Every incident as the list would give it now, one a line. */
async function sendTruth(world: World, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
  const { incidents } = world
  let text = ''
  for (let index = 0; index < incidents.count(); index++) {
    if (!incidents.isListed(index)) continue
    text += `${incidents.json(index)}\n`
    if (text.length < CHUNK_CHARACTERS) continue
    if (!response.write(text)) await once(response, 'drain')
    text = ''
    if (response.destroyed) return
  }
  response.end(text)
}

/** Everything that writes can change, for tests that compare before and after. */
function stateOf({ account }: World): Record<string, unknown> {
  const { channels, exclusionRules, roles, templates, calendars, members, callers, rules } = account
  const lists = { channels, exclusionRules, roles, templates, calendars, members, callers, rules }
  return Object.fromEntries(Object.entries(lists).map(([name, map]) => [name, [...map.values()]]))
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw invalidParameter(String(result.error.issues[0]?.path[0] ?? ''))
}

function send(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  })
  response.end(body)
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1$|127\.|::ffff:127\.)/.test(address)
}
