/** Where a redirect leads, fit to be shown: no user, no query and no control characters. */
export interface RedirectTarget {
  readonly place: string
  /** The base address under which the same operation is at that place; undefined if it is another page. */
  readonly baseUrl: string | undefined
}

/** Longer places are not shown whole, as a part of one may hold a part of the key. */
const LENGTH_MOST = 200

/**
 * Returns where a `Location` header leads.
 * @param location may be relative
 * @param baseUrl base address of the request, and `path` that of its operation below it
 * @returns undefined if the header is not an HTTP address
 */
export function parseRedirect(location: string, baseUrl: string, path: string): RedirectTarget | undefined {
  const asked = baseUrl + path
  const url = URL.canParse(location, asked) ? new URL(location, asked) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  const whole = url.origin + url.pathname
  const place = whole.length <= LENGTH_MOST ? whole : url.origin
  if (place.length > LENGTH_MOST) return undefined
  const isBase = place === whole && whole !== asked && whole.endsWith(path)
  const isDowngrade = url.protocol === 'http:' && asked.startsWith('https:')
  return { place, baseUrl: isBase && !isDowngrade ? whole.slice(0, -path.length) : undefined }
}
