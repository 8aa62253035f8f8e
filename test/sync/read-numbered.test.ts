import { describe, expect, test } from 'vitest'
import { ContractError } from '../../src/errors.ts'
import { members } from '../../src/resources/members.ts'
import type { Page, ReadContext } from '../../src/sync/page.ts'
import { readNumberedPages } from '../../src/sync/read-numbered.ts'
import { fakeService, member } from '../support/service.ts'

type Fields = Record<string, unknown>

const tooLarge = () =>
  new ContractError('member/list: larger than 16 MB', {
    ...{ operation: 'member/list', next: 'Ask for less.', smallerMayWork: true },
    issues: [{ path: '', message: 'larger than 16 MB' }],
  })

describe('reading numbered pages', () => {
  /** Reads made-up members page by page. `refuse` may throw an error for a page. */
  async function readMembers(count: number, refuse: (items: readonly Fields[]) => void) {
    const service = fakeService()
    const all = Array.from({ length: count }, (_, index) => member(index))
    service.before = (_, { p, limit }) => {
      const items = all.slice((Number(p) - 1) * Number(limit), Number(p) * Number(limit))
      refuse(items)
      return { p, limit, total: count, items }
    }
    const context = { client: service.client, signal: new AbortController().signal } as ReadContext
    const pages: Page[] = []
    for await (const page of readNumberedPages(context, members)) pages.push(page)
    return {
      ids: pages.flatMap(({ items }) => items.map((item) => (item as Fields).member_id)),
      refused: pages.flatMap(({ refused = [] }) => refused),
      requests: service.calls.length,
    }
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

  test('uses smaller pages if a page is too large, and misses or repeats no member', async () => {
    const result = await readMembers(730, (items) => {
      if (items.length > 30 && items.some(({ member_id }) => Number(member_id) % 250 < 30)) throw tooLarge()
    })
    expect(result).toMatchObject({ ids: upTo(730), refused: [] })
  })

  test('quarantines an unreadable member, and continues after that member', async () => {
    const bad = [0, 137, 299]
    const result = await readMembers(300, (items) => {
      if (items.some(({ member_id }) => bad.includes(Number(member_id)))) throw tooLarge()
    })
    expect(result.ids).toEqual(upTo(300).filter((id) => !bad.includes(id)))
    expect(result.refused.map(({ id }) => id)).toEqual(bad.map((id) => `unreadable at ${id}`))
  })

  test('ends with an error if no page can be read', async () => {
    await expect(
      readMembers(300, () => {
        throw tooLarge()
      }),
    ).rejects.toThrow('larger than 16 MB')
  })
})
