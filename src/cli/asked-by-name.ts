/**
 * Whether a browser asks for this machine by its own name, on any port, since one may have been forwarded. A page of the web whose
 * name leads here (DNS rebinding) sends that name: what listens on this machine only answers it with `NOT_BY_NAME`.
 * @param host the header of the request
 */
export function isAskedByName(host = ''): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host)
}

export const NOT_BY_NAME =
  'This is served to this machine only: open http://localhost, on this port or one forwarded to it.\n'
