import { expect, test } from 'vitest'
import { Lake, lakeSchema } from '../../src/settings/lake.ts'
import { noticeIfSlow } from '../../src/sync/slow-operation-notice.ts'
import { publishedAt } from '../support/storage.ts'

const lake = new Lake(
  'ducklake:postgres:host=db dbname=faultline',
  lakeSchema.parse({ data: '/rows' }),
  '/',
  () => undefined,
)

/**
 * Returns the notices shown during an operation. If `isSlow`, the operation takes longer than the delay of the notice.
 */
async function saidOf(path: string | Lake, isSlow: boolean): Promise<string[]> {
  const said: string[] = []
  let pass = () => {}
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      pass = resolve
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  const options = {
    published: publishedAt(path),
    effects: { sleep },
    onNotice: (sentence: string) => void said.push(sentence),
  }
  const given = await noticeIfSlow('Publishing', options, async () => {
    if (isSlow) pass()
    await new Promise((resolve) => setImmediate(resolve))
    return 7
  })
  expect(given).toBe(7)
  return said
}

test('a notice names a possible reason if publishing to a lake takes longer than 15 s', async () => {
  expect(await saidOf(lake, true)).toEqual([
    expect.stringMatching(/^Publishing takes longer than 15 s: .* the store \/rows\/ /),
  ])
  expect(await saidOf(lake, false)).toEqual([])
  expect(await saidOf('faultline.duckdb', true)).toEqual([])
})
