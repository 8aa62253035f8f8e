import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { defined } from './defined.ts'
import { type Candidate, findingsOf, outside, shift } from './finding-candidates.ts'

const { connection, value } = defined()

const findings = (candidates: readonly Candidate[]) => findingsOf(connection(), candidates)

describe('a finding', () => {
  test('passes Benjamini-Hochberg over the whole page, weighted by kind', async () => {
    const ps = [0.00001, 0.0004, 0.0011, 0.002, 0.02, 0.3, 0.7, 1]
    const candidates = ps.map((p, place) => outside('sources', `channel ${place}`, 10, 20 + place, { p }))
    const hours = Array.from({ length: 24 }, (_, place) =>
      outside('hours', `hour ${place}`, 10, 20, { p: 1 }),
    )
    const found = await findings([...candidates, ...hours])
    const [sources, hoursPart] = [0.11, 0.04]
    const part = sources / (sources + hoursPart)
    const wanted = ps.map((_, place) =>
      Math.min(1, ...ps.slice(place).map((p, more) => (p * ps.length) / (place + more + 1) / part)),
    )
    for (const { key, q } of found.filter((one) => one.key.startsWith('channel')))
      expect(q).toBeCloseTo(wanted[Number(key.split(' ')[1])]!, 12)
    const sure = found.filter(({ reason }) => reason === null).map(({ key }) => key)
    expect(sure.sort()).toEqual(wanted.flatMap((q, place) => (q < 0.05 ? [`channel ${place}`] : [])))
    expect(sure.length).toBeGreaterThan(2)
    expect(new Set(found.slice(sure.length).map(({ reason }) => reason))).toEqual(
      new Set(['not significant after correction']),
    )
  })

  test('that states a fact, such as an unattended incident, needs no significance test', async () => {
    const found = await findings([
      outside('sources', 'channel', 10, 12, { p: 0.4 }),
      { kind: 'unattended', topic: 'open', key: 'I1', value: 1 },
    ])
    expect(found.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['unattended', null],
      ['outside', 'not significant after correction'],
    ])
  })

  test('does not depend on the order of the candidates', async () => {
    const some = [
      outside('sources', 'a', 10, 40),
      outside('sources', 'b', 10, 40),
      outside('teams', 'c', 50, 90, { p: 1e-7 }),
      { kind: 'goal', topic: 'targets', key: 'acknowledge', value: 0.3, before: 0.9, high: 0.35 },
    ]
    expect(await findings(some.toReversed())).toEqual(await findings(some))
    expect((await findings(some)).map(({ kind }) => kind)[0]).toBe('goal')
  })

  test('about the objective missed by the largest margin comes first', async () => {
    const goal = (key: string, high: number) => ({
      ...{
        kind: 'goal',
        topic: 'targets',
        key,
        subject: key,
        within: key,
        value: high - 0.05,
        before: 0.9,
        high,
      },
    })
    const found = await findings([goal('by little', 0.85), goal('by much', 0.4)])
    expect(found.map(({ key }) => key)).toEqual(['by much', 'by little'])
  })

  test('gets a share of the error rate for its kind, and the shares of all kinds add up to 1', async () => {
    const file = readFileSync(new URL('../../sql/findings/error-share.sql', import.meta.url), 'utf8')
    const sorts = [...file.matchAll(/when '(\w+) (\w+)'/g)].map(
      ([, kind, topic]) => `error_share('${kind}', '${topic}')`,
    )
    expect(sorts.length).toBeGreaterThan(10)
    expect(await value(`(${sorts.join(' + ')})::double`)).toBeCloseTo(1, 12)
  })
})

const kept = async (candidates: readonly Candidate[]) =>
  (await findings(candidates)).filter((one) => !one.gives_way).map(({ key }) => key)

describe('a finding about', () => {
  test('a total is dropped if a single channel caused the rise', async () => {
    expect(
      await kept([
        outside('counts', 'all', 1_000, 1_200),
        outside('teams', 'team', 200, 400, { parent: 'all' }),
        ...['x', 'y', 'z'].map((key) => outside('teams', key, 260, 265, { parent: 'all', p: 1 })),
        outside('sources', 'channel', 100, 300, { parent: 'team' }),
        ...['v', 'w'].map((key) => outside('sources', key, 50, 50, { parent: 'team', p: 1 })),
      ]),
    ).toEqual(['channel'])
  })

  test('one team is dropped if all teams rose like the total', async () => {
    expect(
      await kept([
        outside('counts', 'all', 1_000, 2_000),
        ...['w', 'x', 'y', 'z'].map((key) =>
          outside('teams', key, 250, 500, { parent: 'all', is_apart: false }),
        ),
      ]),
    ).toEqual(['all'])
  })

  test('one team is kept if the total moved in the opposite direction', async () => {
    expect(
      (
        await kept([
          outside('counts', 'all', 1_000, 700),
          outside('teams', 'x', 100, 200, { parent: 'all' }),
          outside('teams', 'y', 900, 500, { parent: 'all' }),
        ])
      ).sort(),
    ).toContain('x')
  })

  test('one team is dropped if most teams became slower', async () => {
    const slower = (key: string, p: number) => shift('resolve', key, { p })
    const found = await findings([...['a', 'b', 'c'].map((key) => slower(key, 1e-6)), slower('d', 1)])
    expect(found.filter((one) => !one.gives_way)).toMatchObject([{ kind: 'most', value: 3, before: 4 }])
    const half = [
      ...['a', 'b', 'c'].map((key) => slower(key, 1e-6)),
      ...['d', 'e', 'f'].map((key) => slower(key, 1)),
    ]
    expect((await findings(half)).filter((each) => !each.gives_way)).toMatchObject([
      { kind: 'most', value: 3, before: 6 },
    ])
    const one = await findings([slower('a', 1e-6), ...['b', 'c', 'd'].map((key) => slower(key, 1))])
    expect(one.filter((each) => !each.gives_way).map(({ key }) => key)).toEqual(['a'])
  })

  test('a card is dropped if one team caused its change', async () => {
    const card = { ...outside('cards', 'card 0', 1_000, 1_200), kind: 'shift' }
    const { p: _, ...sure } = card
    const team = outside('teams', 'team', 100, 300, { parent: 'all' })
    const others = ['x', 'y'].map((key) => outside('teams', key, 450, 450, { parent: 'all', p: 1 }))
    const all = outside('counts', 'all', 1_000, 1_200, { p: 0.02 })
    expect(await kept([sure, team, ...others, all])).toEqual(['team'])
    // The card is kept if no team caused its change.
    expect(await kept([sure, { ...all, p: 1e-6 }])).toEqual(['card 0'])
  })

  test('a total is dropped if one team caused the rise, even if no severity changed', async () => {
    const same = (topic: string, keys: string[], n: number) =>
      keys.map((key) => outside(topic, key, n, n, { parent: 'all', p: 1 }))
    expect(
      await kept([
        outside('counts', 'all', 1_000, 1_400),
        outside('teams', 'team', 100, 500, { parent: 'all' }),
        ...same('teams', ['x', 'y', 'z'], 300),
        ...same('severities', ['Critical', 'Info'], 500),
        ...same('integrations', ['a', 'b'], 500),
      ]),
    ).toEqual(['team'])
  })

  test('a total is kept if an unrelated finding or card has the same figures', async () => {
    const slower = { ...outside('resolve', 'team x', 1_000, 1_200), kind: 'shift' }
    const all = outside('counts', 'all', 1_000, 1_200)
    expect((await kept([slower, all])).sort()).toEqual(['all', 'team x'])
    const { p: _, ...card } = { ...outside('cards', 'card 0', 1_000, 1_200), kind: 'shift' }
    expect((await kept([card, outside('teams', 'team', 1_000, 1_200)])).sort()).toEqual(['card 0', 'team'])
  })

  test('slower resolution by a team is dropped if the team also acknowledges more slowly', async () => {
    const slower = (topic: string, low: number) => shift(topic, 'team x', { estimate: 3, low, high: 4 })
    expect(
      (await findings([slower('acknowledge', 1.2), slower('resolve', 2.5)])).map((one) => one.gives_way),
    ).toEqual([false, true])
  })
})

describe('a finding about one team, channel or integration', () => {
  test('is marked as different from its peers only if the finding about its team is also marked', async () => {
    const found = await findings([
      outside('teams', 'team', 100, 300, { parent: 'all', is_apart: true }),
      outside('sources', 'channel', 80, 270, { parent: 'team', is_apart: false }),
      outside('sources', 'of another', 80, 270, { parent: 'other team', is_apart: false }),
      outside('severities', 'one', 80, 200),
    ])
    expect(Object.fromEntries(found.map(({ key, is_apart }) => [key, is_apart]))).toEqual({
      ...{ team: true, channel: true, 'of another': false, one: null },
    })
  })

  test('is kept if the rise differs from that of other teams', async () => {
    const parts = (is_apart: boolean) => [
      outside('counts', 'all', 1_000, 4_000),
      outside('teams', 'team', 100, 700, { parent: 'all', is_apart }),
      ...['w', 'x', 'y'].map((key) => outside('teams', key, 300, 1_100, { parent: 'all', is_apart: false })),
    ]
    expect((await kept(parts(true))).sort()).toEqual(['all', 'team'])
    expect(await kept(parts(false))).toEqual(['all'])
  })

  test('is dropped for an integration whose whole channel rose, unless that integration alone caused the rise', async () => {
    const rose = (channel: number) => [
      outside('sources', 'channel', 400, channel),
      outside('integrations', 'one', 200, 800, { parent: 'channel', is_apart: true }),
      outside('integrations', 'other', 200, channel - 800, { parent: 'channel', p: 1, is_apart: false }),
    ]
    expect(await kept(rose(1_300))).toEqual(['channel'])
    expect(await kept(rose(1_010))).toEqual(['one'])
  })

  test('is dropped if the team slowed down like all teams, because the card for all teams shows that', async () => {
    const { p: _, ...card } = shift('cards', 'card 0', { detail: 'time_to_resolve', n: 100 })
    const team = (is_apart: boolean) => shift('resolve', 'team x', { is_apart, n: 100 })
    expect(await kept([card, team(false)])).toEqual(['card 0'])
    expect((await kept([card, team(true)])).sort()).toEqual(['card 0', 'team x'])
    expect((await kept([{ ...card, detail: 'time_to_acknowledge' }, team(false)])).sort()).toEqual([
      'card 0',
      'team x',
    ])
  })
})
