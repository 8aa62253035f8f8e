import { describe, expect, test } from 'vitest'
import { defined } from './defined.ts'
import { type Candidate, findingsOf, outside, shift } from './finding-candidates.ts'

const { connection } = defined()

describe('a finding about a gap, a spike or a timer', () => {
  const gap = (part: string, more: Partial<Candidate> = {}) => ({
    ...{ kind: 'gap', topic: 'teams', key: `gap ${part}`, value: 40, before: 5, p: 1e-9 },
    ...more,
  })
  const listed = async (candidates: readonly Candidate[]) =>
    (await findingsOf(connection(), candidates)).filter(({ gives_way }) => !gives_way).map(({ key }) => key)

  test('of a large team hides the change of all incidents, but not that of the other teams', async () => {
    const others = ['A', 'B', 'C', 'D', 'E'].map((name) =>
      outside('teams', `team ${name}`, 170, 340, { parent: 'all', is_apart: false }),
    )
    const all = outside('counts', 'all', 1_000, 1_700)
    const kept = await listed([gap('team Search', { amount: 0.15 }), all, ...others])
    expect(kept).not.toContain('all')
    expect(kept).toEqual(expect.arrayContaining(['gap team Search', 'team A', 'team E']))
    expect(await listed([gap('team Search', { amount: 0.05 }), all, ...others])).toContain('all')
  })

  test('of a small channel does not hide the change of its team', async () => {
    const team = outside('teams', 'team Payments', 100, 300, { parent: 'all' })
    const ofChannel = (share: number) =>
      gap('channel web', { topic: 'sources', parent: 'team Payments', amount: 0.01, part: share })
    expect(await listed([ofChannel(0.02), team])).toContain('team Payments')
    expect(await listed([ofChannel(0.3), team])).not.toContain('team Payments')
  })

  test('of a severity hides its trend', async () => {
    const trend = {
      ...{ kind: 'trend', topic: 'counts', key: 'trend Critical', parent: 'severity Critical' },
      ...{ estimate: 0.7, p: 1e-9 },
    }
    const silent = gap('severity Critical', { topic: 'severities', amount: 0.08 })
    expect(await listed([silent, trend])).toEqual(['gap severity Critical'])
  })

  test('hides an alert with most incidents only if the spike includes them', async () => {
    const spike = { kind: 'burst', topic: 'sources', key: 'channel web', value: 60 }
    const most = (share: number) => ({
      ...{ kind: 'dominant', topic: 'families', key: 'disk full', value: 100, before: 300, part: share },
    })
    expect(await listed([spike, most(0.1)])).toContain('disk full')
    expect(await listed([spike, most(0.9)])).not.toContain('disk full')
  })

  test('names a team, its channel and its alert once if they have mostly the same incidents', async () => {
    const most = (topic: string, value: number) => ({
      kind: 'dominant',
      topic,
      key: topic,
      value,
      before: 100,
    })
    expect(await listed([most('teams', 60), most('sources', 60)])).toEqual(['sources'])
    expect(await listed([most('teams', 60), most('families', 55)])).toEqual(['families'])
    expect(await listed([most('teams', 60), most('families', 45)])).toHaveLength(2)
    // These could be different incidents.
    expect(await listed([most('teams', 50), most('families', 45)])).toHaveLength(2)
  })

  test('of a timer hides the times to resolve of teams, but not their times to acknowledge', async () => {
    const timer = { kind: 'timer', topic: 'resolve', key: 'timer', value: 165, before: 500, amount: 300 }
    const times = ['acknowledge', 'resolve'].map((topic) =>
      shift(topic, `${topic} of Search`, { value: 300, before: 7_000, estimate: 0.04, is_worse: false }),
    )
    expect(await listed([timer, ...times])).toEqual(['timer', 'acknowledge of Search'])
  })
})
