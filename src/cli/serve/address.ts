import { isPlainPart } from '../../report/served-files.ts'

/** The address of a request. */
export interface Address {
  /** Path without its first slash, decoded: `mtta/weekly.csv`, empty for the root. A folder has its index. */
  readonly path: string
  readonly parameters: URLSearchParams
}

/**
 * Works out the path of a request, once. The caller checks this path and passes it on; no other code reads the text of the request.
 * @returns undefined for a text that is not a plain path: with an empty, hidden or upward part, or with an encoded slash
 */
export function parseAddress(url = ''): Address | undefined {
  const [, path, query] = /^\/([^?#]*)(?:\?([^#]*))?$/.exec(url) ?? []
  if (path === undefined) return undefined
  const parts = path.split('/').map(decoded)
  const last = parts.pop()
  if (last === '' && parts.length > 0) parts.push('index.html')
  else if (last !== '') parts.push(last)
  return parts.every((part) => part !== undefined && isPlainPart(part))
    ? { path: parts.join('/'), parameters: new URLSearchParams(query) }
    : undefined
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
