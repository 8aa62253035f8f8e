import { z } from 'zod'

/** A text that may be left out: a file, a folder or a name. */
export const optionalText = (meaning: string) => z.string().min(1).optional().describe(meaning)

/** Address of a service. */
export const serviceUrl = z.url({
  protocol: /^https?$/,
  error: 'expected an address that begins with http:// or https://',
})

/** Share of rate limits. */
export const share = z.number().positive().max(1)

/** A part of all, from 0 to 1. */
export const part = z.number().min(0, 'a share is from 0 to 1').max(1, 'a share is from 0 to 1')

/** Memory that DuckDB may use, in its own words. */
export const size = z
  .string()
  .regex(/^\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i, 'expected a size such as 512MB')
