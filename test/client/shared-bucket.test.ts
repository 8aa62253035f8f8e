import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { shareOf } from '../../src/client/limiter.ts'
import { createSharedBucket, fillingOf, type SharedBucket } from '../../src/client/shared-bucket.ts'
import { RATE_LIMITS } from '../../src/contract/limits.ts'
import { ConfigError, NetworkError } from '../../src/errors.ts'
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts'
import { mostInWindow } from './most-in-window.ts'

describe('a bucket that refills', () => {
  it('gives nearly all of the limits', () => {
    expect(fillingOf(RATE_LIMITS)).toEqual({ amount: 16, intervalMs: 1_000, most: 18 })
    expect(fillingOf(shareOf(RATE_LIMITS, 0.6))).toEqual({ amount: 9, intervalMs: 1_000, most: 12 })
  })

  it('keeps every window of every share, whenever tokens are taken, and however long requests are on their way', () => {
    const share = fc.double({ min: 0.04, max: 1, noNaN: true })
    /** After the one before, and on its way, milliseconds. */
    const request = fc.tuple(
      fc.oneof(
        { weight: 20, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ max: 4_000, min: 0 }) },
      ),
      fc.integer({ min: 0, max: 999 }),
    )
    fc.assert(
      fc.property(
        share,
        fc.array(request, { minLength: 500, maxLength: 2_500, size: 'max' }),
        (one, sent) => {
          const limits = shareOf(RATE_LIMITS, one)
          const { amount, intervalMs, most } = fillingOf(limits)
          // As Bottleneck's process_tick.lua has it: whole intervals, never above the most.
          let tokens = most
          let filledAt = 0
          let now = 0
          const arrivals: number[] = []
          for (const [gap, wayMs] of sent) {
            now += gap
            const due = Math.floor((now - filledAt) / intervalMs)
            tokens = Math.min(most, tokens + due * amount)
            filledAt += due * intervalMs
            if (tokens === 0) {
              filledAt += intervalMs
              now = filledAt
              tokens = Math.min(most, amount)
            }
            tokens--
            arrivals.push(now + wayMs)
          }
          arrivals.sort((a, b) => a - b)
          for (const { requests, windowMs } of limits)
            expect(mostInWindow(arrivals, windowMs)).toBeLessThanOrEqual(requests)
        },
      ),
    )
  })
})

describe('errors', () => {
  const options = { baseUrl: 'http://127.0.0.1', appKey: 'k', limits: RATE_LIMITS }

  it('say what to do when the package is missing', async () => {
    const loadRedis = () => Promise.reject(new Error("Cannot find package 'ioredis'"))
    const bucket = createSharedBucket({ ...options, redis: 'redis://127.0.0.1', loadRedis })
    const error = await bucket.take().catch((one) => one)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.next).toContain('npm install ioredis')
    await bucket.close()
  })

  it('say where nothing listens, without the password', async () => {
    const bucket = createSharedBucket({ ...options, redis: 'redis://me:topsecret@127.0.0.1:9' })
    const error = await bucket.take().catch((one) => one)
    expect(error).toBeInstanceOf(NetworkError)
    expect(error.message).toContain('Redis at 127.0.0.1:9')
    expect(`${error.message} ${error.next}`).not.toContain('topsecret')
    await bucket.close()
  })
})

describe.skipIf(!hasRedis)('in Redis', () => {
  const options = { baseUrl: 'http://127.0.0.1/api', appKey: 'the-key', limits: RATE_LIMITS }
  const running: { stop(): Promise<void> }[] = []
  const buckets: SharedBucket[] = []
  afterEach(async () => {
    for (const bucket of buckets.splice(0)) await bucket.close()
    for (const one of running.splice(0)) await one.stop()
  })

  async function redisOn(port?: number, password?: string): Promise<RedisServer> {
    const redis = await startRedis({ ...(port && { port }), ...(password && { password }) })
    running.push(redis)
    return redis
  }
  function bucketIn(redis: string, more: Partial<typeof options> = {}): SharedBucket {
    const bucket = createSharedBucket({ ...options, ...more, redis })
    buckets.push(bucket)
    return bucket
  }
  /** Takes so many and returns when each was had, in order. */
  async function take(count: number, ...from: SharedBucket[]): Promise<number[]> {
    const had: number[] = []
    const one = async (index: number) => {
      await from[index % from.length]!.take()
      had.push(performance.now())
    }
    await Promise.all(Array.from({ length: count }, (_, index) => one(index)))
    return had
  }

  it('one bucket is for all who use a key at a service, and for nobody else', async () => {
    const { url } = await redisOn()
    // The address may end in a slash or not.
    const both = [bucketIn(url), bucketIn(url, { baseUrl: `${options.baseUrl}/` })]
    const times = await take(60, ...both)
    // Of the 60, those after the first 18 came by refills of 16: three seconds, less the part of one that had passed.
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1_900)
    const others = [
      bucketIn(url, { appKey: 'another' }),
      bucketIn(url, { baseUrl: 'http://127.0.0.1/other' }),
    ]
    const apart = await take(36, ...others)
    expect(apart).toHaveLength(36)
  })

  it('the one that came last decides about the share', async () => {
    const { url } = await redisOn()
    const whole = bucketIn(url)
    await take(18, whole)
    const small = bucketIn(url, { limits: shareOf(RATE_LIMITS, 0.2) as unknown as typeof RATE_LIMITS })
    const times = await take(12, whole, small)
    // 3 a second instead of 16.
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1_900)
  })

  it('the name of the bucket does not hold the key', async () => {
    const { url } = await redisOn()
    await take(1, bucketIn(url))
    const { Redis } = await import('ioredis')
    const redis = new Redis(url)
    const names = await redis.keys('*')
    redis.disconnect()
    expect(names.length).toBeGreaterThan(0)
    expect(names.join()).not.toMatch(/the-key|7468652d6b6579|dGhlLWtleQ/)
  })

  it('a password is used, and a wrong one told of', async () => {
    const { url, port } = await redisOn(undefined, 'top secret')
    await take(1, bucketIn(url))
    const wrong = bucketIn(`redis://:guess@127.0.0.1:${port}`)
    await expect(wrong.take()).rejects.toThrow(/Redis at 127\.0\.0\.1:\d+.*WRONGPASS/)
  })

  it('a server that starts again is waited for', async () => {
    const first = await redisOn()
    const bucket = bucketIn(first.url)
    await take(18, bucket)
    const waiting = take(30, bucket)
    await first.stop()
    running.splice(0)
    await redisOn(first.port)
    expect(await waiting).toHaveLength(30)
  })

  it('closing while ioredis subscribes again after an interruption leaves no rejection behind', async () => {
    const { port } = await redisOn()
    const path = await mutedPath(port)
    running.push(path)
    const bucket = bucketIn(`redis://127.0.0.1:${path.port}`)
    await take(1, bucket)
    // An unhandled rejection would end the process of a user; here it fails the run.
    await path.interrupt(/subscribe/)
    await bucket.close()
    await nextTick()
  })

  it('one that was emptied too', async () => {
    const { url } = await redisOn()
    const bucket = bucketIn(url)
    await take(20, bucket)
    const { Redis } = await import('ioredis')
    const redis = new Redis(url)
    await redis.flushall()
    redis.disconnect()
    expect(await take(20, bucket)).toHaveLength(20)
  })
})

/** A way to a server on this machine that can be cut, and then no longer answers a connection that sends something like `word`. */
async function mutedPath(to: number) {
  const open = new Set<Socket>()
  let mute: RegExp | undefined
  let heard = () => {}
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    let silent = false
    near.on('data', (sent) => {
      silent ||= mute?.test(`${sent}`) ?? false
      if (silent) heard()
      else far.write(sent)
    })
    far.on('data', (answer) => near.write(answer))
    near.on('close', () => far.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const drop = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Drops all connections; resolves when a new one sent such a word. */
    interrupt(word: RegExp): Promise<void> {
      mute = word
      const said = new Promise<void>((resolve) => {
        heard = resolve
      })
      drop()
      return said
    },
    async stop() {
      drop()
      server.close()
      await once(server, 'close')
    },
  }
}
