import { expect, test } from 'vitest'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { organizationHandlers } from '../../../src/sandbox/routes/organization-routes.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'
import { NOW } from '../../support/sandbox.ts'

test('the sandbox returns members in the requested order, even after a change', () => {
  const clock = sandboxClock(NOW)
  const world = buildWorld({ seed: 6, incidents: 300, anchor: NOW }, clock)
  const call = { world, clock } as never
  const { members } = world.account
  const list = (more: object) => {
    const all: unknown[] = []
    for (let p = 1; ; p++) {
      const { items, total } = organizationHandlers['member/list'](
        { p, limit: 7, ...more } as never,
        call,
      ) as {
        items: { member_id: unknown }[]
        total: number
      }
      all.push(...items.map(({ member_id }) => member_id))
      if (items.length === 0) {
        expect(total).toBe(members.size)
        return all
      }
    }
  }
  const byHand = (order: 'created_at' | 'updated_at') =>
    [...members.values()]
      .sort(
        (a, b) => Number(a[order]) - Number(b[order]) || Number(BigInt(a.member_id) - BigInt(b.member_id)),
      )
      .map(({ member_id }) => member_id)
  const check = () => {
    expect(list({})).toEqual(list({ orderby: 'updated_at' }))
    for (const orderby of ['created_at', 'updated_at'] as const) {
      expect(list({ orderby, asc: true })).toEqual(byHand(orderby))
      expect(list({ orderby })).toEqual(byHand(orderby).reverse())
    }
  }
  check()
  members.delete([...members.keys()][3]!)
  check()
  const [first] = members.values()
  const act = organizationHandlers['role/member/revoke'](
    { member_ids: [first!.member_id], role_id: first!.account_role_ids![0]! } as never,
    call,
  ) as () => unknown
  clock.set(NOW + 5)
  act()
  expect(list({ orderby: 'updated_at' })[0]).toBe(first!.member_id)
  check()
})
