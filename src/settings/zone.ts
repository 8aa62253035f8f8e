import { z } from 'zod'
import { isZone } from '../contract/fields.ts'
import { closestMatch } from '../errors.ts'

export { isZone }

/** Suggests the closest time zone, as a sentence. Undefined if none is close. */
export function nearZone(name: string): string | undefined {
  return closestMatch(name, Intl.supportedValuesOf('timeZone'))
}

export const zone = z.string().superRefine((name, context) => {
  if (isZone(name)) return
  const message = 'expected an IANA time zone name, such as Europe/Berlin'
  context.addIssue({ code: 'custom', message, params: { next: nearZone(name) } })
})
