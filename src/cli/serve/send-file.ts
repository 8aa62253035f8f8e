import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { toPageList } from '../../render/to-index.ts'
import { openListed } from '../../report/served-files.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.sql': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
}

/** Sends a page, or a file that belongs to a page. @returns false if the file does not exist */
export async function sendFile(
  out: string,
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const type = TYPES[extname(path)]
  const file = type === undefined ? undefined : await openListed(out, path)
  if (file === undefined) return false
  try {
    response.setHeader('content-type', type!)
    if (path.endsWith('.html')) response.end(withExplorer(await file.readFile('utf8')))
    else await sendBytes(file, method, response)
    return true
  } finally {
    await file.close()
  }
}

async function sendBytes(file: FileHandle, method: string | undefined, response: ServerResponse) {
  const { size } = await file.stat()
  response.setHeader('content-length', size)
  if (method === 'HEAD' || size === 0) return void response.end()
  // The client can disconnect at any time, which is not an error.
  await pipeline(file.createReadStream({ end: size - 1, autoClose: false }), response).catch(() => undefined)
}

/** Adds a link to the explorer. The page's `data-explore` attribute contains the filter for the incidents. */
export function withExplorer(page: string): string {
  return page.replace(
    /(<main[^>]* data-explore="([^"]*)">.*?<\/h1>)/s,
    '$1<p><a href="/explore?$2">Explore these incidents</a></p>',
  )
}

export function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': TYPES['.html'] }).end(NOT_FOUND)
}

const WHY = 'The report at this address may have been removed or renamed.'
const NOT_FOUND = toPageList('Page not found', [{ page: '/', title: 'All reports', description: WHY }])
