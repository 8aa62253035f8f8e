export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

/** Whether requests to this address are unencrypted and leave this machine. */
export function isSentInClear(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'http:' && !isLoopback(url.hostname)
}
