import type { IncomingMessage } from 'node:http'
import { BODY_BYTES_MAX } from '../contract/assumptions.ts'
import { isDeeper, parseJson } from '../contract/json.ts'
import { invalidParameter, Refusal } from './responses.ts'

/** A body that is too large is still read up to this size, because many clients read no response before the end. */
const DRAIN_BYTES_MAX = 8 * BODY_BYTES_MAX
/** Maximum nesting of a body. It is deeper than real requests, and protects recursive parsers and writers. */
const DEPTH_MAX = 64

/** Reads JSON. `anyType` accepts any content type. @throws Refusal for an unacceptable body */
export async function readBody(request: IncomingMessage, anyType = false): Promise<unknown> {
  const text = await readText(request)
  const type = request.headers['content-type'] ?? 'application/json'
  if (!anyType && !/^application\/([\w.-]+\+)?json\b/i.test(type)) throw new Refusal('InvalidContentType')
  try {
    const value = parseJson(text)
    if (!isDeeper(value, DEPTH_MAX)) return value
  } catch {
    // A body that is not JSON is refused below.
  }
  throw invalidParameter('')
}

/** Reads the body with events, because an async iterator would take longer than the rest of a small request. */
function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
      else chunks.length = 0
      if (bytes > DRAIN_BYTES_MAX) request.destroy()
    })
    request.on('end', () => {
      if (bytes > BODY_BYTES_MAX) reject(new Refusal('EntityTooLarge'))
      else resolve(Buffer.concat(chunks).toString('utf8'))
    })
    request.on('close', () => reject(new Error('closed before the end of the body')))
    request.on('error', reject)
  })
}
