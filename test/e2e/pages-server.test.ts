import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { writeReport } from '../../src/page/write-report-files.ts'
import { freePort } from '../support/free-port.ts'
import { textOf } from '../support/markdown.ts'
import { askRaw, type RawAnswer } from '../support/raw-request.ts'
import { sample } from '../support/report-result.ts'
import { scratch } from '../support/warehouse.ts'
import { LINKS, MARK, SECRETS, WRITTEN, writeSecrets } from '../support/written-addresses.ts'

let address: string
const folder = scratch()
const out = join(folder, 'out')
/**
 * nginx serves these files, because it cannot distinguish them from report pages. Only `serve` has a list of the pages.
 */
const LIKE_PAGES = ['notes.html', 'notes.csv', 'weekly/stray.csv']
const hidden = SECRETS.filter((path) => !LIKE_PAGES.includes(path))
const login = `Authorization: Basic ${Buffer.from('reader:s3cret').toString('base64')}`
const ask = (target: string, method = 'GET'): Promise<RawAnswer> =>
  askRaw(address, target, { method, headers: [login] })
let nginx: ReturnType<typeof spawn> | undefined

describe.skipIf(spawnSync('nginx', ['-v']).status !== 0)('deploy/nginx.conf', () => {
  beforeAll(async () => {
    writeReport(sample(), out, ['html', 'csv', 'json'])
    writeSecrets(out)
    spawnSync('mkfifo', [join(out, 'pipe.html')])
    mkdirSync(join(out, 'teams/12'), { recursive: true })
    writeFileSync(join(out, 'teams/12/index.html'), '<h1>Team</h1>')
    const { stdout: hash } = spawnSync('openssl', ['passwd', '-apr1', 's3cret'], { encoding: 'utf8' })
    writeFileSync(join(folder, 'htpasswd'), `reader:${hash}`)
    const port = await freePort()
    address = `http://127.0.0.1:${port}/`
    const server = textOf('deploy/nginx.conf')
      .replace('listen 8080;', `listen 127.0.0.1:${port};`)
      .replace('/var/lib/faultline/out', out)
      .replace('/etc/nginx/faultline.htpasswd', join(folder, 'htpasswd'))
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/temp;`,
    )
    const main = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}`
    writeFileSync(
      join(folder, 'nginx.conf'),
      `${main} http { access_log off; ${temporary.join(' ')} ${server} }`,
    )
    // Workers of nginx run as another user.
    chmodSync(folder, 0o755)
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
    await vi.waitUntil(async () => (await ask('/').catch(() => undefined))?.status === 404, {
      timeout: 20_000,
      interval: 100,
    })
  })
  afterAll(async () => {
    const ended = new Promise((resolve) => nginx?.on('close', resolve) ?? resolve(undefined))
    nginx?.kill('SIGTERM')
    await ended
  })

  test('serves report pages, tables and the index of a folder', async () => {
    const page = await ask('/weekly.html')
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('<!doctype html>')])
    expect(page.head).toMatch(/content-type: text\/html; charset=utf-8/i)
    // Only `serve` adds links to the explorer.
    expect(page.body).not.toContain('href="/explore')
    const table = await ask('/weekly/verdicts.csv')
    expect(table.body).toBe(readFileSync(join(out, 'weekly/verdicts.csv'), 'latin1'))
    expect((await ask('/teams/12/')).body).toBe('<h1>Team</h1>')
  })

  test('requires a password and rejects write requests', async () => {
    for (const target of ['/', '/weekly.html', '/teams/12/', '/w.duckdb'])
      expect([target, (await askRaw(address, target)).status]).toEqual([target, 401])
    for (const method of ['PUT', 'POST', 'DELETE'])
      expect([403, 405]).toContain((await ask('/weekly.html', method)).status)
  })

  test.each(WRITTEN)('does not serve a private file for a URL written %s', async (_, write) => {
    const sent = []
    for (const path of [...hidden, ...LINKS]) {
      const target = write(path, out).replace(/ /g, '%20')
      const { status, body } = await ask(target)
      const isLink = LINKS.includes(path) && status === 200 && target === `/${path}`
      if (body.includes(MARK) || isLink) sent.push(`${target}: ${status}`)
    }
    expect(sent).toEqual([])
  })

  test.each(['/pipe.html', '/dir.html', '/dir.html/', '/weekly', '/up', '/up/', '/weekly.json', '/explore'])(
    'returns no file for the path %s',
    async (target) => expect((await ask(target)).status).not.toBe(200),
  )
})
