import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeReport } from '../../src/page/write-report-files.ts'
import { askRaw } from '../support/raw-request.ts'
import { sample } from '../support/report-result.ts'
import { startServe } from '../support/serving.ts'
import { scratch } from '../support/warehouse.ts'
import { LINKS, MARK, SECRETS, WRITTEN, writeSecrets } from '../support/written-addresses.ts'

const folder = scratch()
const out = join(folder, 'out')
let address: string
let stop: () => Promise<number>

beforeAll(async () => {
  writeReport(sample(), out, ['html', 'csv', 'json'])
  writeSecrets(out)
  execFileSync('mkfifo', [join(out, 'pipe.html')])
  ;({ address, stop } = await startServe(out))
})
afterAll(async () => {
  expect(await stop()).toBe(0)
})

describe('`faultline serve`', () => {
  test('returns a report page for an encoded URL or a URL with a query', async () => {
    for (const target of ['/weekly.html', '/%77eekly.html', '/weekly%2ehtml', '/weekly.html?x=/w.duckdb']) {
      const { status, head, body } = await askRaw(address, target)
      expect([target, status, body]).toEqual([target, 200, expect.stringContaining('<!doctype html>')])
      expect(head).toMatch(/content-type: text\/html; charset=utf-8/i)
    }
    const table = await askRaw(address, '/weekly/verdicts.csv')
    expect(table.body).toBe(readFileSync(join(out, 'weekly/verdicts.csv'), 'latin1'))
    expect((await askRaw(address, '/weekly.json')).status).toBe(200)
  })

  test.each(WRITTEN)('does not return a private file for a URL written %s', async (_, write) => {
    expect(WRITTEN.length).toBeGreaterThan(60)
    const sent = []
    for (const path of [...SECRETS, ...LINKS]) {
      const target = write(path, out).replace(/ /g, '%20')
      for (const method of ['GET', 'HEAD']) {
        const { status, body, head } = await askRaw(address, target, { method })
        const isSent = body.includes(MARK) || head.includes(`content-length: ${MARK.length}`)
        const isLink = LINKS.includes(path) && status === 200 && target === `/${path}`
        if (isSent || isLink) sent.push(`${method} ${target}: ${status}`)
      }
    }
    expect(sent).toEqual([])
  })

  test.each(['/pipe.html', '/dir.html', '/dir.html/', '/weekly', '/weekly/', '/up', '/up/', '*', ''])(
    'returns an error for the path "%s" and keeps running',
    async (target) => {
      expect((await askRaw(address, target)).status).toBeGreaterThanOrEqual(400)
      expect((await askRaw(address, '/weekly.html')).status).toBe(200)
    },
  )
})
