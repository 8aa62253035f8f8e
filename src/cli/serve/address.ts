import { isPlainPart } from '../../report/served-files.ts'

export interface Address {
  /** Decoded path without its leading slash. Empty for the root. A path that ends in a slash gets `index.html`. */
  readonly path: string
  readonly parameters: URLSearchParams
}

/** Returns undefined if a part of the path is empty, begins with a dot, or contains an encoded slash. */
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
