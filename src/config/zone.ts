import { z } from 'zod'
import { isZone } from '../contract/fields.ts'

export { isZone }

export const zone = z.string().refine(isZone, 'expected an IANA time zone name, such as Europe/Berlin')
