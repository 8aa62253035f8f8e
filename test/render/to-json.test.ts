import { expect, test } from 'vitest'
import { toJson } from '../../src/render/to-json.ts'
import { query } from './charts/odd-charts.ts'
import { result } from './odd-page.ts'

test('the JSON of a report writes integers beyond 2^53 as exact strings', () => {
  const exact = query({ n: 'BIGINT', m: 'BIGINT', t: 'TIMESTAMP WITH TIME ZONE' }, [
    [2n ** 60n, 7n, new Date(0)],
  ])
  expect(JSON.parse(toJson(result([], { queries: [exact] }))).results.q).toEqual([
    { n: '1152921504606846976', m: 7, t: '1970-01-01T00:00:00.000Z' },
  ])
})
