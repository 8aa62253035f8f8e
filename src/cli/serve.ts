import { once } from 'node:events'
import { existsSync, mkdirSync, realpathSync, watch } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve, sep } from 'node:path'
import sirv from 'sirv'
import { loadConfig } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { explorer } from '../explore/explore.ts'
import { h } from '../render/html.ts'
import { pageHead } from '../render/page-head.ts'
import { isAskedByName, NOT_BY_NAME } from './asked-by-name.ts'
import type { Context } from './context.ts'
import { countOf } from './count-of.ts'
import { pagesIn } from './open-page.ts'
import { makeReports } from './report/make-reports.ts'
import { isExplored, sendAnswer, withExplorer } from './send-answer.ts'

interface ServeOptions {
  readonly out?: string | undefined
  readonly port?: string | undefined
  readonly watch?: boolean | undefined
}

/** What reports write. The warehouse may lie in the same folder, and is not served. */
const SERVED = new Set(['.html', '.csv', '.json', '.png', '.pdf', '.svg'])
/** Where a page is shown inside of one that loads it again; the page itself stays as it is, and runs no script. */
const LIVE = '/_live'
const SETTLED_MS = 150

/**
 * `faultline serve`: the pages of the folder of reports, on this machine only, until it is stopped. With `watch` reports are made
 * again when their files are saved, and the browser follows.
 */
export async function serve(context: Context, options: ServeOptions): Promise<number> {
  const { out, warehouse, settings, timezone } = loadConfig(context.overrides)
  const folder = resolve(options.out ?? out)
  mkdirSync(folder, { recursive: true })
  const files = sirv(folder, { dev: true, etag: true, dotfiles: false })
  const followers = new Set<ServerResponse>()
  const explored = explorer({ warehouse, settings, timezone, warn: context.console.warn })
  const server = createServer((request, response) => {
    const refuse = (status: number) => response.writeHead(status).end()
    const path = pathOf(request)
    const explain = (words: string) =>
      void response.writeHead(403, { 'content-type': 'text/plain' }).end(words)
    if (!isAskedByName(request.headers.host)) return explain(NOT_BY_NAME)
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Cache-Control', 'no-cache')
    if (options.watch && path === LIVE) return send(response, LIVE_PAGE)
    if (options.watch && path === `${LIVE}/events`) return follow(response, followers)
    if (path !== undefined && isExplored(path)) return void sendAnswer(explored, path, request, response)
    if (path === undefined || !isServed(path)) return refuse(404)
    if (leadsOut(folder, path)) return explain(LEADS_OUT)
    const linked = withExplorer(join(folder, path.replace(/\/$/, '/index.html')))
    if (linked !== undefined) return send(response, linked)
    files(request, response, () => {
      if (path === '/') send(response, listing(pagesIn(folder)))
      else refuse(404)
    })
  })
  const wanted = countOf('--port', options.port, 0) ?? 8_000
  server.listen(wanted, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(`Port ${wanted} cannot be used: ${(cause as Error).message}`, {
      cause,
      next: 'Name another one with --port; 0 takes a free one.',
    })
  }
  const { port } = server.address() as AddressInfo
  context.console.out(`http://127.0.0.1:${port}${options.watch ? LIVE : '/'}`)
  if (!options.watch && pagesIn(folder).length === 0)
    context.console.note(
      `There are no pages in ${folder} yet: faultline report makes them, --out names another folder.`,
    )
  try {
    if (options.watch) await watched(context, folder, followers)
    else if (!context.signal.aborted) await once(context.signal, 'abort')
  } finally {
    server.close()
    server.closeAllConnections()
    explored.close()
  }
  return 0
}

/** Makes the reports at every save, and tells the browsers when pages changed, until the signal. */
async function watched(context: Context, folder: string, followers: ReadonlySet<ServerResponse>) {
  let timer: NodeJS.Timeout | undefined
  const pages = watch(folder, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      for (const response of followers) response.write('data: changed\n\n')
    }, SETTLED_MS)
  })
  try {
    await makeReports(context, [], { watch: true, out: folder })
  } finally {
    clearTimeout(timer)
    pages.close()
  }
}

function pathOf({ url = '/' }: IncomingMessage): string | undefined {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname)
  } catch {
    return undefined
  }
}

/** A folder, or a file of a kind that is served; nothing hidden. */
function isServed(path: string): boolean {
  return !path.includes('/.') && (path.endsWith('/') || SERVED.has(extname(path).toLowerCase()))
}

/** What is looked for under a path, in the words of sirv. */
const ENDINGS = ['', '.html', '.htm', '/index', '/index.html', '/index.htm']

/** Whether a link leads from the folder to another place: whoever may write a page must not read all else by it. */
function leadsOut(folder: string, path: string): boolean {
  const inside = realpathSync(folder) + sep
  return ENDINGS.map((ending) => join(folder, path.replace(/\/$/, '') + ending)).some(
    (file) => existsSync(file) && !(realpathSync(file) + sep).startsWith(inside),
  )
}

const LEADS_OUT = 'This leads out of the folder of pages, and is not served.\n'

function send(response: ServerResponse, html: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}

function follow(response: ServerResponse, followers: Set<ServerResponse>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': here\n\n')
  followers.add(response)
  response.on('close', () => followers.delete(response))
}

/** In place of an index that no delivery has made yet. */
function listing(names: readonly string[]): string {
  const items = names.map((name) => h('li', {}, h('a', { href: `/${encodeURIComponent(name)}.html` }, name)))
  const list =
    items.length > 0
      ? h('ul', {}, ...items)
      : h('p', {}, 'There are no pages yet: faultline report makes them.')
  const ways = h('p', {}, h('a', { href: '/explore' }, 'Explore all incidents'))
  const body = h('body', {}, h('main', {}, h('h1', {}, 'Reports'), list, ways))
  return `<!doctype html>${h('html', { lang: 'en' }, pageHead('Reports'), body).html}`
}

const LIVE_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Faultline</title>
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%}body{overflow:hidden}</style></head>
<body><iframe title="report" src="/"></iframe><script>
const frame = document.querySelector('iframe')
new EventSource('${LIVE}/events').onmessage = () => frame.contentWindow.location.reload()
</script></body></html>`
