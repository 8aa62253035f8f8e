/** Whether the runtime knows the time zone: an IANA name such as Europe/Berlin. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
