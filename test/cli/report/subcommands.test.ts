import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { scratch } from '../../support/warehouse.ts'

/** Returns a function that runs `faultline report` in a folder with these custom reports. */
function folderWith(...reports: string[]) {
  const folder = scratch()
  mkdirSync(join(folder, 'own'))
  for (const name of reports) writeFileSync(join(folder, 'own', `${name}.md`), '---\ntitle: T\n---\nText.\n')
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ reports: './own' }))
  return (...words: string[]) => run(['report', ...words], {}, folder)
}

test('each subcommand of `faultline report` has its own help text', async () => {
  const report = folderWith()
  const all = await report('--help')
  for (const name of ['list', 'check', 'new', 'schema']) {
    expect(all.out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    const { code, out } = await report(name, '--help')
    expect([code, out]).toEqual([0, expect.stringContaining(`Usage: faultline report ${name}`)])
    expect(out).not.toContain('--period')
  }
})

test('an option of `faultline report list` may precede or follow the word `list`', async () => {
  const report = folderWith()
  const behind = await report('list', '--json')
  expect(JSON.parse(behind.out).length).toBeGreaterThan(5)
  expect(await report('--json', 'list')).toEqual(behind)
  for (const words of [
    ['--period', '13w', 'list'],
    ['list', '--period', '13w'],
    ['schema', '--json'],
  ])
    expect(await report(...words)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: unknown option '--(period|json)'\n\(see --help\)/),
    })
  expect(await report('list', 'mtta-mttr')).toMatchObject({ code: 2, out: '' })
})

test('`faultline report list` warns of a report that is named like a subcommand', async () => {
  const report = folderWith('list', 'mine')
  const { code, out, err } = await report('list')
  expect([code, out]).toEqual([0, expect.stringMatching(/^list +T/m)])
  expect(err).toBe(
    'list: `report list` is a command, so this report only runs together with all others. Rename it.\n',
  )
  expect(await report('new', 'check')).toMatchObject({
    code: 2,
    err: expect.stringContaining('"check" cannot be the name of a report: `report check` is a command.'),
  })
})
