/** Whether a host name means this machine, so that requests cross no network. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

/** Whether requests to this address cross a network unencrypted. */
export function isSentInClear(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'http:' && !isLoopback(url.hostname)
}
