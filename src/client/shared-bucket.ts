import { scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { unescape as decode } from 'node:querystring'
import Bottleneck from 'bottleneck'
import type { Redis } from 'ioredis'
import { ConfigError, NetworkError } from '../errors.ts'
import { reasonOf, says } from '../foreign-errors.ts'
import type { RateLimit } from './limiter.ts'

/** A bucket of tokens in Redis, one for each service and key: each request takes a token. */
export interface SharedBucket {
  /** @throws ConfigError when `ioredis` is not installed; NetworkError when Redis cannot be reached, or fails */
  take(): Promise<void>
  close(): Promise<void>
}

/** How a bucket fills: `amount` more every `intervalMs`, never above `most`, with which it begins. */
interface Filling {
  readonly amount: number
  readonly intervalMs: number
  readonly most: number
}

/** A request may be this much longer on its way to the service than another, and no window is broken, milliseconds. */
const JITTER_MS = 1_000

/** Waiting processes look whether there are tokens again after this long, milliseconds. */
const LOOK_AGAIN_MS = 250

const CONNECT_TIMEOUT_MS = 5_000
/** With growing waits between them, ten seconds in all. */
const RECONNECTS = 10

/**
 * The filling that keeps all limits. In a window W, and the jitter, there are at most k = ceil((W + jitter) / interval)
 * refills, so at most `most` + k × `amount` requests arrive; both are chosen to be the limit at the most. For 50 a second and
 * 1,000 a minute it is 16 more every second and 18 at the most: 18 + 2 × 16 = 50, and 18 + 61 × 16 = 994.
 * A limit below 2 counts as 2, because a bucket of one may be emptied just before it is filled again.
 */
export function fillingOf(limits: readonly RateLimit[]): Filling {
  for (let intervalMs = 1_000; ; intervalMs += 1_000) {
    const parts = limits.map(({ requests, windowMs }) => ({
      requests: Math.max(2, requests),
      refills: Math.ceil((windowMs + JITTER_MS) / intervalMs),
    }))
    const amount = Math.min(...parts.map(({ requests, refills }) => Math.floor(requests / (refills + 1))))
    const most = Math.min(...parts.map(({ requests, refills }) => requests - refills * amount))
    if (amount > 0) return { amount, intervalMs, most }
  }
}

interface BucketOptions {
  /** Address of the server, `redis://…` or `rediss://…`. */
  readonly redis: string
  readonly baseUrl: string
  readonly appKey: string
  /** The share to use. */
  readonly limits: readonly RateLimit[]
  readonly loadRedis?: () => Promise<typeof import('ioredis')>
}

/**
 * The bucket of a service and key. What a process took and never used, because it was killed, costs nothing: the bucket
 * fills by the clock. It is for all processes as the one that came last wants it, should their shares differ.
 * @throws ConfigError when `redis` is no such address
 */
export function createSharedBucket(options: BucketOptions): SharedBucket {
  const place = placeOf(options.redis)
  let opening: Promise<Opened> | undefined
  return {
    async take() {
      for (;;) {
        opening ??= open(options, place)
        const current = opening
        const { take, connection } = await current
        try {
          return await take()
        } catch (cause) {
          // Another of those who waited may have begun anew already.
          if (opening !== current) continue
          if (!says(cause, 'bucketForgotten')) throw unreachable(place, cause)
          opening = undefined
          await connection.disconnect(false)
        }
      }
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      await opened?.connection.disconnect(false)
    },
  }
}

interface Opened {
  take(): Promise<void>
  readonly connection: Bottleneck.IORedisConnection
}

/** @throws ConfigError when `ioredis` is not installed; NetworkError when Redis cannot be reached, or fails */
async function open(options: BucketOptions, place: string): Promise<Opened> {
  const { loadRedis = () => import('ioredis') } = options
  const { Redis } = await loadRedis().catch((cause) => {
    throw new ConfigError(
      'The rate limits are to be shared through Redis, and the package ioredis is not installed.',
      { cause, next: 'Install it with `npm install ioredis`, or take `limits` out of the configuration.' },
    )
  })
  const client = new Redis(options.redis, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: RECONNECTS,
    retryStrategy: (times) => Math.min(times * 200, 2_000),
  })
  const connection = new Bottleneck.IORedisConnection({ client })
  try {
    await once(client, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
    const { amount, intervalMs, most } = fillingOf(options.limits)
    const filling = {
      reservoirIncreaseAmount: amount,
      reservoirIncreaseInterval: intervalMs,
      reservoirIncreaseMaximum: most,
    }
    const bottleneck = new Bottleneck({
      ...filling,
      id: bucketName(options.baseUrl, options.appKey),
      connection,
      reservoir: most,
      heartbeatInterval: LOOK_AGAIN_MS,
    })
    const take = takerOf(bottleneck)
    await bottleneck.ready()
    catchSubscribing(bottleneck.clients().subscriber)
    await bottleneck.updateSettings(filling)
    return { take, connection }
  } catch (cause) {
    await connection.disconnect(false)
    throw unreachable(place, cause)
  }
}

/** Takes a token each time. Once Redis fails for good, also those who are asking just now get the error: Bottleneck would let them wait. */
function takerOf(bottleneck: Bottleneck): () => Promise<void> {
  const waiting = new Set<(error: Error) => void>()
  // ioredis has retried for a while.
  bottleneck.once('error', (error) => {
    void bottleneck.stop({ dropErrorMessage: error.message, enqueueErrorMessage: error.message })
    for (const reject of waiting) reject(error)
  })
  return () =>
    new Promise<void>((resolve, reject) => {
      waiting.add(reject)
      const end = () => waiting.delete(reject)
      bottleneck
        .schedule(async () => undefined)
        .then(resolve, reject)
        .finally(end)
    })
}

function unreachable(place: string, cause: unknown): NetworkError {
  return new NetworkError(`Redis at ${place}, which shares the rate limits, failed: ${reasonOf(cause)}`, {
    cause,
    next: 'Start it, correct `limits.redis`, or take that out: each process then keeps the limits alone.',
  })
}

/** After an interruption ioredis subscribes again and drops the promise: closing just then would end the process. */
function catchSubscribing(subscriber: Redis): void {
  const subscribe = subscriber.subscribe.bind(subscriber)
  const caught = (...channels: string[]) => {
    const subscribed = subscribe(...channels)
    subscribed.catch(() => {})
    return subscribed
  }
  subscriber.subscribe = caught as Redis['subscribe']
}

/** What must not be printed of an address: itself and its password. */
export function secretsIn(redis: string): string[] {
  const password = URL.canParse(redis) ? decode(new URL(redis).password) : ''
  return password === '' ? [] : [redis, password]
}

/** Host and port: an address may hold a password. @throws ConfigError */
function placeOf(redis: string): string {
  const url = URL.canParse(redis) ? new URL(redis) : undefined
  if (url !== undefined && /^rediss?:$/.test(url.protocol)) return url.host
  throw new ConfigError('`limits.redis` is not the address of a Redis server.', {
    field: 'limits.redis',
    next: 'Write it as redis://host:6379 or rediss://user:password@host:6379.',
  })
}

/** Tells nothing about the key: slow to compute on purpose (some milliseconds), so that keys cannot be guessed against it. */
function bucketName(baseUrl: string, appKey: string): string {
  const { origin, pathname } = new URL(baseUrl)
  const service = `${origin}${pathname.replace(/\/+$/, '')}`
  return `faultline-${scryptSync(appKey, `faultline limits ${service}`, 16, { N: 4_096 }).toString('hex')}`
}
