import { z } from 'zod'
import { isZone } from '../contract/fields.ts'
import { closestMatch } from '../errors.ts'
import { refuse } from './config-fields.ts'

export { isZone }

export function nearZone(name: string): string | undefined {
  return closestMatch(name, Intl.supportedValuesOf('timeZone'))
}

export const zone = z.string().superRefine((name, context) => {
  if (isZone(name)) return
  refuse(context, 'expected an IANA time zone name, such as Europe/Berlin', [], nearZone(name))
})
