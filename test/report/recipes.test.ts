import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { run } from '../support/cli.ts'
import { blocks } from '../support/markdown.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const [metric] = blocks('CONTRIBUTING.md', 'sql')
const [block] = blocks('CONTRIBUTING.md', 'markdown')

const folder = scratch()
beforeAll(async () => {
  const warehouse = await warehouseFile(settleCompany)
  mkdirSync(join(folder, 'my-sql'))
  writeFileSync(join(folder, 'my-sql/closed-unseen.sql'), metric!)
  const quality = { age: { warn: null, error: null } }
  const config = { warehouse, sql: './my-sql', reports: './my-reports', reporting: { quality } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
})

test('the metric from the recipe in CONTRIBUTING.md can be queried and appears in `faultline schema`', async () => {
  const asked = await run(
    ['sql', 'select count(*) > 0 as answers from closed_unseen()', '--json'],
    {},
    folder,
  )
  expect([asked.code, asked.err]).toEqual([0, ''])
  expect(JSON.parse(asked.out)).toEqual([{ answers: true }])
  expect((await run(['schema'], {}, folder)).out).toContain('### closed_unseen')
})

test('the report block from CONTRIBUTING.md shows the rule and the incident list of its metric', async () => {
  expect((await run(['report', 'new', 'unseen'], {}, folder)).code).toBe(0)
  appendFileSync(join(folder, 'my-reports/unseen.md'), `\n${block}`)
  const checked = await run(['report', 'check', 'unseen'], {}, folder)
  expect([checked.code, checked.err]).toEqual([0, ''])
  const made = await run(['report', 'unseen', '--to', 'out'], {}, folder)
  expect([made.code, made.err]).toEqual([0, ''])
  const page = readFileSync(join(folder, 'out/unseen.html'), 'utf8')
  expect(page).toContain('Closed without an acknowledgement')
  expect(page).toContain('closed without an acknowledgement. Muted incidents are excluded.')
  expect(page).toContain('href="unseen/incidents/team-')
  expect(readFileSync(join(folder, 'out/unseen/unseen.csv'), 'utf8')).toMatch(
    /^\ufeffteam,closed,unseen,share\r\n\w/,
  )
})
