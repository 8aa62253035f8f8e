import { z } from 'zod'
import { isZone } from '../contract/fields.ts'
import { closestMatch } from '../errors.ts'
import { refuse } from './config-fields.ts'

export { isZone }

/** Suggests the closest time zone, as a sentence. Undefined if none is close. */
export function nearZone(name: string): string | undefined {
  return closestMatch(name, Intl.supportedValuesOf('timeZone'))
}

/** A time zone in the configuration. */
export const zone = z.string().superRefine((name, context) => {
  if (isZone(name)) return
  refuse(context, 'expected an IANA time zone name, such as Europe/Berlin', [], nearZone(name))
})
