import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { DAY, HOUR, happening, start } from './small-company.ts'

const { happen, insert, rows } = happening()

beforeEach(() =>
  insert('teams', [
    { team_id: 1, team_name: 'Payments' },
    { team_id: 2, team_name: 'Checkout' },
  ]),
)

interface Read {
  readonly team: number | null
  readonly seen: number
  readonly updated: number | null
}

/** Stores the last of these reads in `channels`, and the earlier ones in `channel_versions`. */
async function readAs(...reads: readonly Read[]) {
  const contents = reads.map(({ team, seen, updated }, place) => ({
    channel_id: 5,
    channel_name: 'pay-alerts',
    team_id: team,
    updated_at: updated,
    _seen_at: seen,
    _run_id: place + 1,
    _replaced_at: reads[place + 1]?.seen,
  }))
  await insert('channel_versions', contents.slice(0, -1))
  await insert('channels', contents.slice(-1))
}

async function teamsOf(...starts: readonly number[]) {
  await happen(starts.map((start_time) => ({ channel_id: 5, start_time })))
  const found = await rows('select team_name from incident_times order by start_time, incident_id')
  return found.map(({ team_name }) => team_name)
}

test('the team of an incident matches an independent computation for random reads of its channel', async () => {
  const read = fc.record({
    team: fc.constantFrom(1, 2, 99, null),
    gap: fc.integer({ min: 1, max: 20 }),
    updated: fc.option(fc.integer({ min: -30, max: 120 })),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(read, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: -40, max: 140 }), { minLength: 1, maxLength: 8 }),
      async (gaps, hours) => {
        let seen = start
        const reads = gaps.map(({ team, gap, updated }): Read => {
          seen += gap * HOUR
          return { team, seen, updated: updated === null ? null : start + updated * HOUR }
        })
        await readAs(...reads)
        const starts = hours.map((hour) => start + hour * HOUR).sort((a, b) => a - b)
        expect(await teamsOf(...starts)).toEqual(starts.map((at) => ownerAt(reads, at)))
      },
    ),
    { numRuns: 20 },
  )
})

function ownerAt(reads: readonly Read[], at: number): string {
  const names = new Map([
    [1, 'Payments'],
    [2, 'Checkout'],
  ])
  let owner = reads[0]!.team
  reads.forEach(({ team, seen, updated }, place) => {
    const before = reads[place - 1]
    if (!before || before.team === team) return
    const isTold = updated !== null && updated > before.seen && updated < seen
    if (at >= (isTold ? updated : seen)) owner = team
  })
  return names.get(owner ?? 0) ?? '(unknown)'
}

test('data_quality counts incidents that started before the owner of their channel was known', async () => {
  await readAs({ team: 1, seen: start + 7 * DAY, updated: start + DAY })
  await happen([start - DAY, start, start + 2 * DAY].map((start_time) => ({ channel_id: 5, start_time })))
  const affected = "select affected, total from data_quality where check_name = 'before_channel_read'"
  expect(await rows(affected)).toEqual([{ affected: 2, total: 3 }])
})
