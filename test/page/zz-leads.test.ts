import { appendFileSync } from 'node:fs'
import { test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { openReader } from '../support/storage.ts'
import { settleUci498, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { oddWorlds } from './odd-worlds.ts'
import { pageOf } from './page-rules.ts'

const worlds = (process.env.WORLDS ?? '').split(';').filter(Boolean)
const reports = (process.env.REPORTS ?? 'reliability-review;executive-summary;team-overview').split(';')
const names = worlds.length ? worlds : [...Object.keys(oddWorlds)]
test.each(names)(
  '%s',
  async (name) => {
    const reader = await openReader(
      await warehouseFile(name === 'uci' ? settleUci498 : (c) => inhabit(c, oddWorlds[name]!)),
      { settings: defaultSettings },
    )
    const pool = pooled(reader)
    for (const r of reports) {
      const result = await runReport(`reports/${r}.md`, pool)
      const page = pageOf(result)
      appendFileSync(
        '/tmp/leads.txt',
        `\n=== ${name} / ${r} ${JSON.stringify(result.frame.from)}..${JSON.stringify(result.frame.to)}\n${page.lines.slice(0, Number(process.env.LINES ?? 9)).join('\n')}\n`,
      )
    }
    await reader.close()
  },
  600_000,
)
