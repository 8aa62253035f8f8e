import { expect, test } from 'vitest'
import { sandboxClock } from '../../../src/sandbox/clock.ts'
import { organizationHandlers } from '../../../src/sandbox/routes/organization-routes.ts'
import { compileFilters, isOnlyOpen } from '../../../src/sandbox/store/incident-filter.ts'
import { listIncidents } from '../../../src/sandbox/store/list-incidents.ts'
import type { Incidents } from '../../../src/sandbox/store/world.ts'
import { buildWorld } from '../../../src/sandbox/world/build-world.ts'
import { DAY, NOW } from '../../support/sandbox.ts'

test('the sandbox builds only records that may be open for a page of open incidents', () => {
  const clock = sandboxClock(NOW)
  const world = buildWorld({ seed: 6, incidents: 10_000, anchor: NOW }, clock)
  const { incidents } = world
  let made = 0
  const counted: Incidents = {
    ...incidents,
    record(index) {
      made++
      return incidents.record(index)
    },
  }
  const caller = world.account.members.values().next().value!
  const progress = 'Triggered,Processing'
  const window = { startTime: NOW - 300 * DAY, endTime: NOW - 200 * DAY }
  const query = {
    ...{ ...window, asc: true, limit: 100, incidentIds: undefined, from: { skip: 0 } },
    tests: compileFilters({ progress }, { world, clock, caller }),
  }
  const slow = listIncidents(counted, { ...query, onlyOpen: false })
  const whole = made
  made = 0
  const page = listIncidents(counted, { ...query, onlyOpen: isOnlyOpen(progress) })
  expect(page).toEqual(slow)
  expect(page.total).toBeGreaterThan(0)
  expect(made).toBeLessThan(whole / 10)
  expect(['Closed', 'Triggered,Closed', '', undefined, null].map(isOnlyOpen)).toEqual(Array(5).fill(false))
})

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
