import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { cursorPages, numberedPages, type PageBody, type Pages, pages } from '../../src/client/paging.ts'
import { ContractError } from '../../src/errors.ts'

/** Requests all pages from a service that is a function, and returns the bodies that it received. */
function drive<Body>(bodies: Pages<Body>, answer: (body: Body) => unknown): Body[] {
  const asked: Body[] = []
  for (let next = bodies.next(); !next.done; next = bodies.next(answer(next.value))) asked.push(next.value)
  return asked
}

describe('paging by cursor', () => {
  const first = { start_time: 1, end_time: 2, p: 3, limit: 100 }

  it('requests each page once, with the cursor from the previous page', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 30 }), (cursors) => {
        let page = 0
        const asked = drive(cursorPages<typeof first & PageBody>('incident/list', first), () => {
          const cursor = cursors[page++]
          return { items: [], has_next_page: cursor !== undefined, search_after_ctx: cursor }
        })
        expect(asked.map((body) => body.search_after_ctx)).toEqual([undefined, ...cursors])
        expect(asked[0]).toEqual(first)
        for (const body of asked.slice(1)) {
          expect(body).toMatchObject({ start_time: 1, end_time: 2, limit: 100 })
          expect(body).not.toHaveProperty('p')
        }
      }),
    )
  })

  it('ends if has_next_page is false, even if the response has a cursor', () => {
    expect(
      drive(cursorPages('x', first), () => ({ has_next_page: false, search_after_ctx: 'c' })),
    ).toHaveLength(1)
  })

  it.each([
    ['a repeated cursor', { has_next_page: true, search_after_ctx: 'c' }, 'search_after_ctx'],
    ['no cursor', { has_next_page: true }, 'search_after_ctx'],
    ['an empty cursor', { has_next_page: true, search_after_ctx: '' }, 'search_after_ctx'],
    ['no has_next_page', { items: [] }, 'has_next_page'],
    ['an answer that is not an object', null, 'has_next_page'],
  ])('fails on %s', (_, data, path) => {
    const read = () => drive(cursorPages('incident/list', first), () => data)
    expect(read).toThrow(ContractError)
    expect(read).toThrow(`incident/list: the answer does not fit the contract: ${path}`)
  })

  it('fails if the cursor from which paging resumed is returned again', () => {
    const resumed = { ...first, search_after_ctx: 'c' }
    expect(() =>
      drive(cursorPages('x', resumed), () => ({ has_next_page: true, search_after_ctx: 'c' })),
    ).toThrow('returned before')
  })
})

describe('paging by page number', () => {
  it('reads every item once, whatever the number of items and the page size of the service', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 100 }),
        (total, limit, cut) => {
          const size = Math.min(limit, cut)
          const got: number[] = []
          drive(numberedPages<PageBody>('member/list', { limit }), ({ p }) => {
            const from = (Number(p) - 1) * size
            const items = Array.from(
              { length: Math.max(0, Math.min(size, total - from)) },
              (_, i) => from + i,
            )
            got.push(...items)
            return { p, limit: size, total, items }
          })
          expect(got).toEqual(Array.from({ length: total }, (_, index) => index))
        },
      ),
    )
  })

  it('ends at an empty or null page, even if the total promises more items', () => {
    const asked = drive(numberedPages<PageBody>('x', { limit: 10 }), ({ p }) => ({
      limit: 10,
      total: 1_000,
      items: p === 3 ? [] : [p],
    }))
    expect(asked.map((body) => body.p)).toEqual([1, 2, 3])
    expect(drive(numberedPages<PageBody>('x', {}), () => ({ total: 5, items: null }))).toHaveLength(1)
  })

  it('fails if a page is returned twice, whatever the total promises', () => {
    const page = { p: 1, limit: 2, total: 1e12, items: [1, 2] }
    expect(() => drive(numberedPages('member/list', { limit: 2 }), () => page)).toThrow('was returned twice')
  })

  it('starts at the requested page', () => {
    const asked = drive(numberedPages<PageBody>('x', { p: 4, limit: 10 }), ({ p }) => ({
      total: 50,
      items: [p],
    }))
    expect(asked.map((body) => body.p)).toEqual([4, 5])
  })

  it('fails if a page has no total', () => {
    expect(() => drive(numberedPages('member/list', {}), () => ({ items: [1] }))).toThrow(ContractError)
  })
})

describe('paging', () => {
  /** A client that replays data and records the requests. */
  function replay(data: unknown[]) {
    const asked: unknown[] = []
    const read: Client['read'] = async (name, input) => {
      asked.push([name, input])
      return { data: data[asked.length - 1], requestId: `r${asked.length}`, bytes: 1, serviceTime: null }
    }
    return { asked, read }
  }

  it('follows the cursors of `incident/list`', async () => {
    const service = replay([{ has_next_page: true, search_after_ctx: 'c' }, { has_next_page: false }])
    const ids: string[] = []
    const window = { start_time: 1, end_time: 2 }
    for await (const reply of pages(service.read, 'incident/list', window)) ids.push(reply.requestId)
    expect(ids).toEqual(['r1', 'r2'])
    expect(service.asked[1]).toEqual(['incident/list', { ...window, search_after_ctx: 'c' }])
  })

  it('follows page numbers if the operation has page numbers, and otherwise reads one page', async () => {
    const members = replay([
      { p: 1, limit: 2, total: 3, items: [1, 2] },
      { p: 2, limit: 2, total: 3, items: [3] },
    ])
    for await (const _ of pages(members.read, 'member/list', { limit: 2 }));
    expect(members.asked).toHaveLength(2)
    const teams = replay([{ items: [] }])
    for await (const _ of pages(teams.read, 'team/infos', { team_ids: [1] }));
    expect(teams.asked).toEqual([['team/infos', { team_ids: [1] }]])
  })

  it('fails if a page has more distinct rows than requested', async () => {
    const read = async (items: unknown[]) => {
      const { read } = replay([{ items, total: 9, has_next_page: false }])
      for await (const _ of pages(read, 'incident/list', { start_time: 1, end_time: 2, limit: 2 }));
    }
    await read([1, 2, 2])
    await expect(read([1, 2, 3])).rejects.toThrow('items: 3 rows, but 2 were requested')
    await expect(read([1, 1, 1, 1, 1])).rejects.toThrow('items: 5 rows, but 2 were requested')
  })

  it('requests the next page only when the caller asks for it', async () => {
    const service = replay([{ has_next_page: true, search_after_ctx: 'c' }])
    for await (const _ of pages(service.read, 'incident/list', { start_time: 1, end_time: 2 })) break
    expect(service.asked).toHaveLength(1)
  })
})
