import { z } from 'zod'

/** Whether the runtime knows the time zone: an IANA name such as Europe/Berlin. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const zone = z.string().refine(isZone, 'expected an IANA time zone name, such as Europe/Berlin')
