/** Target of a redirect. It is safe to print, because it has no user name, query or control characters. */
export interface RedirectTarget {
  readonly place: string
  /** The target's base URL if the target is the same operation at another address. Undefined otherwise. */
  readonly baseUrl: string | undefined
}

/** For a longer address, only the origin is printed, because a truncated path could still contain part of the key. */
const LENGTH_MOST = 200

/** Parses the `Location` header of a redirected request. Returns undefined if it is not an HTTP address. */
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
