import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NetworkError, ServiceError } from '../../src/errors.ts'
import { DAY, epoch, incident } from '../support/service.ts'
import {
  type Hostile,
  idsOf,
  many,
  operation,
  readWindow,
  refusedCursor,
  timeout,
  tooLarge,
} from './reading-window.ts'

describe('a page that is too large', () => {
  test('is requested in smaller pages, and larger pages are tried again later', async () => {
    const all = many(1_500)
    const large = new Set(idsOf(all).slice(50, 120))
    const result = await readWindow(all, ({ items }) => {
      if (items.filter(({ incident_id }) => large.has(incident_id as string)).length > 20) throw tooLarge()
    })
    expect(result).toMatchObject({ failure: undefined, ids: idsOf(all), refused: [] })
    const limits = result.requests.map(({ limit }) => limit)
    expect(limits.slice(0, 3)).toEqual([100, 50, 50])
    expect(limits.at(-1)).toBe(100)
    expect(result.requests.length).toBeLessThan(50)
  })

  test('is read in shorter windows if the service times out for long windows', async () => {
    const all = many(40, 20_000)
    const result = await readWindow(all, (_, input) => {
      if (Number(input.end_time) - Number(input.start_time) > 5 * DAY) throw timeout()
    })
    // A service that times out gets few requests, because an outage looks the same.
    expect(result.failure).toBeInstanceOf(NetworkError)
    expect(result.requests.length).toBeLessThan(10)
    const lasting = await readWindow(all, (_, input) => {
      if (Number(input.end_time) - Number(input.start_time) > 20 * DAY) throw timeout()
    })
    expect(lasting).toMatchObject({ failure: undefined, ids: idsOf(all) })
  })

  test('is not retried with a page size at which a request has already timed out', async () => {
    const all = many(2_000, 60)
    let timeouts = 0
    const result = await readWindow(all, ({ items }) => {
      if (items.length <= 20) return
      timeouts += 1
      throw timeout()
    })
    expect(result).toMatchObject({ failure: undefined, ids: idsOf(all) })
    expect(timeouts).toBeLessThanOrEqual(3)
  })

  test('makes its window fail after a few requests if no page can be read', async () => {
    const result = await readWindow(many(300), () => {
      throw tooLarge()
    })
    expect(result).toMatchObject({
      failure: { message: expect.stringContaining('16 MB') },
      ids: [],
      refused: [],
    })
    expect(result.requests.length).toBeLessThan(15)
  })

  test.each([0, 299])(
    'is read without an unreadable first or last record, which is quarantined: row %i',
    async (index) => {
      const all = many(300)
      const result = await readWindow(all, ({ items }) => {
        if (items.some(({ incident_id }) => incident_id === all[index]!.incident_id)) throw tooLarge()
      })
      expect(result.failure).toBeUndefined()
      expect(result.ids).toEqual(idsOf(all.filter((_, place) => place !== index)))
      expect(result.refused).toHaveLength(1)
    },
  )

  test('is read without a record that cannot be read even alone, and that record is quarantined', async () => {
    const all = many(250)
    const bad = all[123]!
    const result = await readWindow(all, ({ items }) => {
      if (items.some(({ incident_id }) => incident_id === bad.incident_id)) throw tooLarge('is not JSON')
    })
    expect(result.failure).toBeUndefined()
    expect(result.ids).toEqual(idsOf(all.filter((one) => one !== bad)))
    expect(result.refused).toHaveLength(1)
    expect(result.refused[0]!.reason).toBe('the answer could not be read: is not JSON')
    const place = Number(/^unreadable at (\d+)$/.exec(result.refused[0]!.id)![1])
    expect(Math.abs(place - Number(bad.start_time))).toBeLessThanOrEqual(1)
    expect(result.requests.length).toBeLessThan(120)
  })
})

describe('a cursor of the incident list', () => {
  test.each([
    ['expires', refusedCursor()],
    [
      'is not found',
      new ServiceError('x', { operation, code: 'CursorNotFound', status: 404, requestId: 'r', next: 'x' }),
    ],
  ])('is replaced with the last start time if the cursor %s', async (_, error) => {
    const all = many(1_500, 60)
    let age = 0
    const result = await readWindow(all, (_page, input) => {
      age = input.search_after_ctx === undefined ? 0 : age + 1
      if (age > 2) throw error
    })
    expect(result).toMatchObject({ failure: undefined, ids: idsOf(all) })
    expect(result.requests.length).toBeLessThan(30)
  })

  test.each<[string, Hostile]>([
    ['repeats the cursor', (page) => (page.has_next_page ? { ...page, search_after_ctx: '100' } : undefined)],
    ['omits the next cursor', ({ items, total, has_next_page }) => ({ items, total, has_next_page })],
  ])('is replaced with the last start time if the service %s', async (_, hostile) => {
    const all = many(450)
    expect(await readWindow(all, hostile)).toMatchObject({ failure: undefined, ids: idsOf(all) })
  })

  test('from an earlier run makes its window fail if the service rejects the cursor', async () => {
    const result = await readWindow(
      many(300),
      (_, input) => {
        if (input.search_after_ctx === '200') throw refusedCursor()
      },
      { cursor: '200' },
    )
    expect(result).toMatchObject({ failure: { code: 'InvalidParameter' }, ids: [] })
  })

  test('that the service rejects does not cause a loop if all rows start in the same second', async () => {
    const all = many(300, 0)
    const result = await readWindow(all, (_, input) => {
      if (input.search_after_ctx !== undefined) throw refusedCursor()
    })
    expect(result.requests.length).toBeLessThan(10)
    expect(result.failure).toMatchObject({ code: 'InvalidParameter' })
  })
})

describe('a search that may have been capped at a multiple of 1,000 rows', () => {
  const capped = (cap: number): Hostile => {
    const given = new Map<string, number>()
    return (page, input) => {
      const search = `${input.start_time} ${input.end_time}`
      const before = input.search_after_ctx === undefined ? 0 : given.get(search)!
      given.set(search, before + page.items.length)
      if (given.get(search)! < cap) return undefined
      return { items: page.items, total: Math.min(page.total, 1_000), has_next_page: false }
    }
  }

  test.each([1_000, 5_000])('is continued to the last row if the service stops at %i rows', async (cap) => {
    const all = many(5_500, 60)
    const result = await readWindow(all, capped(cap))
    expect(result).toMatchObject({ failure: undefined, ids: idsOf(all) })
  })

  test.each([
    [1_000, 1],
    [999, 0],
    [1_001, 0],
    [100, 0],
  ])('with %i rows takes %i more requests than it has pages', async (rows, more) => {
    const all = many(rows, 60)
    const result = await readWindow(all, () => undefined)
    expect(result).toMatchObject({ failure: undefined, ids: idsOf(all) })
    expect(result.requests).toHaveLength(Math.ceil(rows / 100) + more)
  })

  test('is an error if all its rows start in the same second', async () => {
    const result = await readWindow(many(1_200, 0), capped(1_000))
    expect(result.failure).toMatchObject({ message: expect.stringContaining('start in one second') })
  })
})

describe('a list whose cursors never end', () => {
  const later = 40 * DAY
  test.each<[string, (page: number) => object[], number, RegExp]>([
    ['the same rows', () => many(100), 1_000, /was returned twice/],
    ['new rows of the same second', (page) => starting(page, () => 10), 1_000, /no newer start/],
    ['rows after the window', (page) => starting(page, (row) => later + row), 1_000, /no newer start/],
    ['no rows', () => [], 1_000, /no newer start/],
    ['more rows than the total', (page) => starting(page, (row) => row), 500, /more rows than its total/],
  ])('is an error after a few pages that contain %s', async (_, itemsOf, total, message) => {
    let page = 0
    const result = await readWindow([], () => {
      const items = itemsOf(++page)
      return { items, total, has_next_page: true, search_after_ctx: `cursor ${page}` }
    })
    expect(result.failure).toMatchObject({ message: expect.stringMatching(message) })
    expect(result.requests.length).toBeLessThan(60)
  })

  /** A page of 100 new rows. `startOf` returns the start of a row in the window, in seconds. */
  function starting(page: number, startOf: (row: number) => number) {
    const rows = Array.from({ length: 100 }, (_, index) => page * 100 + index)
    return rows.map((row) => incident(row, { start_time: epoch + startOf(row) }))
  }
})

test('every readable record is read despite any combination of faults, with a limited number of requests', async () => {
  const start = fc.integer({ min: 0, max: 30 * DAY - 1 })
  const world = fc.oneof(
    // Many rows may start in the same second if cursors work.
    fc.record({ starts: fc.array(start, { maxLength: 260 }), life: fc.constant(1_000) }),
    fc.record({ starts: fc.uniqueArray(start, { maxLength: 120 }), life: fc.constantFrom(2, 5) }),
  )
  const limits = fc.record({
    bad: fc.array(fc.nat(259), { maxLength: 2 }),
    rows: fc.constantFrom(3, 30, 60, 100),
  })
  await fc.assert(
    fc.asyncProperty(world, limits, async ({ starts, life }, { bad, rows }) => {
      const all = starts.map((start, index) => incident(index, { start_time: epoch + start }))
      const unreadable = new Set(bad.map((index) => all[index]?.incident_id))
      const badStarts = new Set(bad.map((index) => all[index]?.start_time))
      let age = 0
      const result = await readWindow(all, ({ items }, input) => {
        age = input.search_after_ctx === undefined ? 0 : age + 1
        if (age > life) throw refusedCursor()
        if (items.length > rows || items.some(({ incident_id }) => unreadable.has(incident_id)))
          throw tooLarge()
      })
      expect(result.failure).toBeUndefined()
      // Rows that follow an unreadable record in the same second cannot be separated from that record.
      const readable = all.filter(({ start_time }) => !badStarts.has(start_time))
      expect(result.ids).toEqual(expect.arrayContaining(idsOf(readable)))
      expect(result.refused.length > 0).toBe([...unreadable].some((id) => id !== undefined))
      expect(result.requests.length).toBeLessThan(400)
    }),
    { numRuns: 60 },
  )
})
