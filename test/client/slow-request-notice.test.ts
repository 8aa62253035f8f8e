import { expect, test } from 'vitest'
import { createWaiting } from '../../src/client/slow-request-notice.ts'

test('one notice about a slow service covers all waiting requests, and the next follows after a minute', () => {
  let now = 0
  const told: string[] = []
  const waiting = createWaiting({ elapsed: () => now }, (sentence) => told.push(sentence))
  const facts = { waitMs: 500, maxRetryMs: 180_000 }
  waiting.retrying('team/infos: HTTP 502', { ...facts, elapsedMs: 9_000 })
  expect(told).toEqual([])
  for (const name of ['a', 'b', 'c']) waiting.retrying(`${name}: HTTP 502`, { ...facts, elapsedMs: 9_600 })
  waiting.silent('member/list')
  expect(told).toEqual(['Waiting for the service: a: HTTP 502. Retrying for up to 170 s.'])
  now = 60_000
  waiting.silent('member/list')
  expect(told[1]).toBe('Waiting for the service: member/list: no answer so far.')
})
