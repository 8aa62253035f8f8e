import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  listedFiles,
  listFiles,
  openListed,
  shortenList,
  writeListed,
} from '../../src/report/served-files.ts'
import { scratch } from '../support/warehouse.ts'

const textOf = async (out: string, path: string) => {
  const file = await openListed(out, path)
  try {
    return await file?.readFile('utf8')
  } finally {
    await file?.close()
  }
}

test('a served file is opened only under its exact path in the list of served files', async () => {
  const out = scratch()
  writeListed(out, 'teams/12/mtta.html', 'page')
  writeFileSync(join(out, 'teams', 'other.html'), 'other')
  expect(await textOf(out, 'teams/12/mtta.html')).toBe('page')
  for (const path of [
    'teams/other.html',
    'teams//12/mtta.html',
    './teams/12/mtta.html',
    'teams/12/MTTA.html',
    'teams/12',
    '',
  ])
    expect([path, await textOf(out, path)]).toEqual([path, undefined])
})

test('the list of served files names each file once, even after an incomplete line', () => {
  const out = scratch()
  listFiles(out, [join(out, 'a.html'), join(out, 'b.html')])
  appendFileSync(join(out, '.served-files'), 'weekly/by_te')
  listFiles(out, [join(out, 'a.html'), join(out, 'c.html')])
  expect(readFileSync(join(out, '.served-files'), 'utf8')).toBe('a.html\nb.html\nweekly/by_te\nc.html\n')
})

test('the list of served files includes names that another process added', () => {
  const out = scratch()
  const list = join(out, '.served-files')
  listFiles(out, [join(out, 'a.html')])
  appendFileSync(list, 'b.html\nc.ht')
  expect([...listedFiles(out)]).toEqual(['a.html', 'b.html'])
  appendFileSync(list, 'ml\n')
  expect([...listedFiles(out)]).toEqual(['a.html', 'b.html', 'c.html'])
  writeFileSync(join(out, 'other'), 'much/longer/than/the/former/list.html\n')
  renameSync(join(out, 'other'), list)
  expect([...listedFiles(out)]).toEqual(['much/longer/than/the/former/list.html'])
})

test('a hidden file or a path outside the report folder is neither listed nor opened', async () => {
  const out = join(scratch(), 'out')
  mkdirSync(join(out, '.hidden'), { recursive: true })
  const paths = ['../above.html', '.env', '.hidden/a.html', 'a\nb.html', 'a\\b.html', '']
  for (const path of ['../above.html', '.env', '.hidden/a.html', 'a\\b.html'])
    writeFileSync(join(out, path), 'x')
  listFiles(
    out,
    paths.map((path) => join(out, path)),
  )
  expect([...listedFiles(out)]).toEqual([])
  // These files must not be opened even if the list names them.
  writeFileSync(join(out, '.served-files'), paths.join('\n'))
  for (const path of paths) expect([path, await textOf(out, path)]).toEqual([path, undefined])
})

test('a served file is not opened if it was replaced with a link, a pipe or a folder', async () => {
  const out = scratch()
  for (const path of ['link.html', 'pipe.html', 'folder.html', 'weekly/a.csv', 'gone.html'])
    writeListed(out, path, 'page')
  for (const path of ['link.html', 'pipe.html', 'folder.html', 'gone.html']) rmSync(join(out, path))
  writeFileSync(join(out, 'secret'), 'secret')
  symlinkSync('secret', join(out, 'link.html'))
  execFileSync('mkfifo', [join(out, 'pipe.html')])
  mkdirSync(join(out, 'folder.html'))
  // Only the folder is a link, not the file in it.
  renameSync(join(out, 'weekly'), join(out, 'elsewhere'))
  symlinkSync('elsewhere', join(out, 'weekly'))
  for (const path of ['link.html', 'pipe.html', 'folder.html', 'weekly/a.csv', 'gone.html'])
    expect([path, await textOf(out, path)]).toEqual([path, undefined])
})

test('a served file is opened even if the report folder is a symbolic link', async () => {
  const folder = scratch()
  writeListed(join(folder, 'a'), 'mtta.html', 'page')
  symlinkSync('a', join(folder, 'out'))
  expect(await textOf(join(folder, 'out'), 'mtta.html')).toBe('page')
})

test('the list of served files is shortened once more than half of its files are missing', () => {
  const out = scratch()
  for (const name of ['a', 'b', 'c', 'd']) writeListed(out, `${name}.html`, 'page')
  for (const name of ['a', 'b']) rmSync(join(out, `${name}.html`))
  shortenList(out)
  expect(listedFiles(out).size).toBe(4)
  rmSync(join(out, 'c.html'))
  shortenList(out)
  expect([...listedFiles(out)]).toEqual(['d.html'])
})
