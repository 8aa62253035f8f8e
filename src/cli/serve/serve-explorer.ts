import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import type { Explorer } from '../../explore/explore.ts'
import type { Address } from './address.ts'
import { sendNotFound } from './send-file.ts'

/** Whether a path belongs to the explorer. The page of a report named `explore` is `explore.html`. */
export const isExplored = ({ path }: Address) => path === 'explore' || path.startsWith('explore/')

/** Maximum numbers of parallel and waiting requests. Table downloads take long, so they have their own slots. */
const PLACES = { pages: 2, tables: 2, waiting: 16 }

/** Returns a function that serves a few requests in parallel, and rejects requests while too many are waiting. */
export function answerSender(explored: Explorer) {
  const [pages, tables] = [pLimit(PLACES.pages), pLimit(PLACES.tables)]
  return async (address: Address, request: IncomingMessage, response: ServerResponse) => {
    const places = address.path.endsWith('.csv') ? tables : pages
    if (places.pendingCount >= PLACES.waiting) {
      response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '5' })
      return void response.end('Too many requests. Try again in a moment.\n')
    }
    await places(() => sendAnswer(explored, address, request, response))
  }
}

async function sendAnswer(
  explored: Explorer,
  { path, parameters }: Address,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The client has disconnected while its request was waiting.
  if (response.destroyed) return
  const answer = await explored.answer(`/${path}`, parameters)
  if (answer === undefined) return sendNotFound(response)
  const { status, type, body } = answer
  response.writeHead(status, { 'content-type': type })
  const parts = typeof body === 'string' ? [body] : body
  if (method === 'HEAD' || response.destroyed) {
    // Leaving the loop ends the query.
    for await (const _ of parts) break
    return void response.end()
  }
  // After an error, the response lacks its last chunk, so the client notices that data is missing.
  await pipeline(Readable.from(parts), response).catch(() => undefined)
}
