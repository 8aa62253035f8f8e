import { once } from 'node:events'
import { mkdirSync, watch } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { loadConfig } from '../../config/config.ts'
import { lastShift } from '../../delivery/shifts.ts'
import { listedFiles } from '../../report/served-files.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { indexHtml } from '../../site/history.ts'
import type { Flags, Texts } from '../command.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { listenLocally, parsePort } from '../local-server.ts'
import { makeReports } from '../report/make-reports.ts'
import { parseAddress } from './address.ts'
import { sendFile, sendNotFound, withExplorer } from './send-file.ts'
import { answerSender, isExplored } from './serve-explorer.ts'

/** Path of the page that shows a report in a frame and reloads it. The report itself runs no script. */
const LIVE = '_live'
/** Saving a page causes several events. All events within this time cause one reload. */
const SETTLED_MS = 150
/** The delivery of this report marks the end of an on-call shift. */
const HANDOVER = 'on-call-handover'

/** Serves only pages and tables of reports, never other files such as the warehouse. */
export async function serve(
  context: Context,
  { from, port = '8000', watch: isLive }: Texts<'from' | 'port'> & Flags<'watch'>,
): Promise<number> {
  const { console, signal } = context
  const { out, warehouse, settings, timezone } = loadConfig(context.overrides)
  const listen = { port: parsePort('--port', port), option: '--port', onError: console.error }
  const folder = resolve(from ?? out)
  mkdirSync(folder, { recursive: true })
  const followers = isLive ? new Set<ServerResponse>() : undefined
  const { explorer } = await import('../../explore/explore.ts')
  const storage = await resolveStorage(warehouse)
  const ledger = { ledger: storage.deliveries, effects: consoleEffects(console, false) }
  const explored = explorer({
    ...{ warehouse: storage, settings, timezone, warn: console.warn },
    lastShift: () => lastShift(HANDOVER, '', ledger),
  })
  const sendAnswer = answerSender(explored)
  try {
    const server = await listenLocally(listen, (request, response) =>
      answer({ folder, followers, sendAnswer }, request, response),
    )
    try {
      console.out(`${server.url}/${isLive ? LIVE : ''}`)
      if (!isLive && ![...listedFiles(folder)].some((path) => /^[^/]+\.html$/.test(path)))
        console.note(
          `No reports in ${folder} yet. Create them with \`faultline report\`, or set another folder with --from.`,
        )
      if (followers) await watched(context, folder, followers)
      else if (!signal.aborted) await once(signal, 'abort')
    } finally {
      server.close()
    }
  } finally {
    explored.close()
  }
  return 0
}

interface Served {
  readonly folder: string
  /** Open connections to browsers, which reload the page after a message. Undefined without `--watch`. */
  readonly followers: Set<ServerResponse> | undefined
  readonly sendAnswer: ReturnType<typeof answerSender>
}

async function answer(
  { folder, followers, sendAnswer }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return response.writeHead(405).end()
  const address = parseAddress(request.url)
  if (address === undefined) return sendNotFound(response)
  if (followers && address.path === LIVE) return send(response, LIVE_PAGE)
  if (followers && address.path === `${LIVE}/events`) return follow(response, followers)
  if (isExplored(address)) return sendAnswer(address, request, response)
  if (await sendFile(folder, address.path || 'index.html', request, response)) return undefined
  if (address.path === '') return send(response, withExplorer(indexHtml(folder, Date.now())))
  return sendNotFound(response)
}

async function watched(context: Context, folder: string, followers: ReadonlySet<ServerResponse>) {
  let timer: NodeJS.Timeout | undefined
  const pages = watch(folder, () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      for (const response of followers) response.write('data: changed\n\n')
    }, SETTLED_MS)
  })
  // Removing the folder causes an error here. Reports are still made again after each save.
  pages.on('error', (error) => context.console.error(`--watch: ${error.message}`))
  try {
    await makeReports(context, [], { watch: true, to: folder })
  } finally {
    clearTimeout(timer)
    pages.close()
  }
}

function send(response: ServerResponse, html: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}

function follow(response: ServerResponse, followers: Set<ServerResponse>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // Hours can pass between two events, so the connection must not time out.
  response.socket?.setTimeout(0)
  response.write(': here\n\n')
  followers.add(response)
  response.on('close', () => followers.delete(response))
}

const LIVE_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Faultline</title>
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%}body{overflow:hidden}</style></head>
<body><iframe title="report" src="/"></iframe><script>
const frame = document.querySelector('iframe')
new EventSource('/${LIVE}/events').onmessage = () => frame.contentWindow.location.reload()
</script></body></html>`
