import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Explorer } from '../explore/explore.ts'

/** Whether a path is the explorer's; a page of reports that is called like it is `/explore.html`. */
export function isExplored(path: string): boolean {
  return path === '/explore' || path.startsWith('/explore/')
}

/** Sends what the explorer has for an address. */
export async function sendAnswer(
  explored: Explorer,
  path: string,
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await explored.answer(path, new URL(url, 'http://localhost').searchParams)
  if (answer === undefined) return void response.writeHead(404).end()
  const { status, type, body } = answer
  response.writeHead(status, { 'content-type': type })
  const parts = typeof body === 'string' ? [body] : body
  if (method === 'HEAD' || response.destroyed) {
    // What has begun is ended.
    for await (const _ of parts) break
    return void response.end()
  }
  // Whoever goes away in the middle, or is sent less than there is, has a broken answer: its end is missing.
  await pipeline(Readable.from(parts), response).catch(() => undefined)
}

/** A page says with its `main` what of `/explore` has the same incidents; a file that is sent or kept has nowhere to lead to. */
const SAME = /(<main[^>]* data-explore="([^"]*)">.*?<\/h1>)/s

/** A page with a link to the same incidents in the explorer; undefined of any other file. */
export function withExplorer(path: string): string | undefined {
  if (!path.endsWith('.html') || !existsSync(path)) return undefined
  const page = readFileSync(path, 'utf8')
  const linked = page.replace(
    SAME,
    (_, head, filter) => `${head}<p><a href="/explore?${filter}">Explore these incidents</a></p>`,
  )
  return linked === page ? undefined : linked
}
