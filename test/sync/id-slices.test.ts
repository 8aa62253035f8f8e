import { expect, test } from 'vitest'
import { teams } from '../../src/resources/teams.ts'
import { skipFetchedIds } from '../../src/sync/id-slices.ts'
import { readIds } from '../../src/sync/read-ids.ts'
import type { Slice } from '../../src/sync/slice.ts'
import { fakeService } from '../support/service.ts'

const DAY = 86_400
const slice = (startDay: number, endDay: number, ids: readonly string[]): Slice => ({
  resource: 'incidents',
  reason: 'still-open',
  window: { start: startDay * DAY, end: endDay * DAY },
  ids,
  cursor: null,
  requests: 1,
})
const many = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`)

test('open incidents that a window already returned are not requested again by id', () => {
  const slices = [
    slice(0, 10, ['a', 'b']),
    slice(10, 20, ['c']),
    slice(20, 30, ['d', 'e']),
    slice(30, 40, ['f']),
  ]
  expect(skipFetchedIds(slices, new Set())).toEqual([
    slice(0, 30, ['a', 'b', 'c', 'd', 'e']),
    slice(30, 40, ['f']),
  ])
  expect(skipFetchedIds(slices, new Set(['a', 'b', 'c', 'e']))).toEqual([slice(20, 40, ['d', 'f'])])
  expect(skipFetchedIds(slices, new Set(['a', 'b', 'c', 'd', 'e', 'f']))).toEqual([])
})

test('a request by id contains at most a hundred ids', () => {
  const slices = [slice(0, 1, many('a', 60)), slice(1, 2, many('b', 60)), slice(2, 3, many('c', 40))]
  expect(skipFetchedIds(slices, new Set()).map(({ ids }) => ids!.length)).toEqual([60, 100])
})

test('a response with more records than requested ids is an error', async () => {
  const service = fakeService()
  service.before = () => ({ items: [1, 2, 3].map((team_id) => ({ team_id })) })
  const { signal } = new AbortController()
  const read = (...ids: string[]) => readIds(service.client, teams, teams.read, ids, signal)
  await expect(read('1', '2')).rejects.toThrow('items: 3 rows, but 2 were requested')
  expect(await read('1', '2', '4')).toMatchObject({ missing: ['4'] })
})
