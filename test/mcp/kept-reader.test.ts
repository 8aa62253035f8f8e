import { renameSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { keptReader } from '../../src/mcp/tool.ts'
import type { Sessions } from '../../src/report/scope/report-filters.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { publishedAt } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

const ofIncidents = (count: number) =>
  warehouseFile((connection) =>
    inhabit(connection, {
      incidents: Array.from({ length: count }, (_, place) => ({ incident_id: `I${place}` })),
    }),
  )
const running = new AbortController().signal

async function counted(sessions: Sessions, sql = 'select count(*) from incidents'): Promise<number> {
  const session = await sessions.session()
  try {
    return Number((await session.query(sql)).rows[0]![0])
  } finally {
    session.close()
  }
}

describe('the reader of the MCP server', () => {
  let path: string
  let opened: number
  let readers: ReturnType<typeof keptReader>
  beforeEach(async () => {
    path = await ofIncidents(2)
    opened = 0
    const published = publishedAt(path)
    const warehouse = {
      ...published,
      open: (...given: Parameters<typeof published.open>) => {
        opened++
        return published.open(...given)
      },
    }
    const own = { settings: defaultSettings, memoryLimit: '1GB', timezone: undefined, reports: undefined }
    readers = keptReader({ ...own, warehouse })
    return readers.close
  })

  test('stays open between calls', async () => {
    expect(await readers.use(running, counted)).toBe(2)
    expect(await readers.use(running, counted)).toBe(2)
    expect(opened).toBe(1)
  })

  test('reads new data after a sync has published it', async () => {
    await readers.use(running, counted)
    renameSync(await ofIncidents(3), path)
    expect(await readers.use(running, counted)).toBe(3)
  })

  test('works again after a call has failed or was canceled', async () => {
    const fails = readers.use(running, async () => {
      throw new Error('no such metric')
    })
    await expect(fails).rejects.toThrow('no such metric')
    const canceled = new AbortController()
    const endless = readers.use(canceled.signal, (sessions) => {
      setTimeout(() => canceled.abort(new Error('canceled by the client')), 100)
      return counted(sessions, 'select sum(hash(range)) from range(1000000000000)')
    })
    await expect(endless).rejects.toThrow('canceled by the client')
    await expect(readers.use(canceled.signal, counted)).rejects.toThrow('canceled by the client')
    expect(await readers.use(running, counted)).toBe(2)
  })
})
