import { z } from 'zod'

const TEXT = 'expected a text that is not empty'

/** A file, a folder or a name. */
export const text = z.string(TEXT).min(1, TEXT)

/** The same, and it may be left out. */
export const optionalText = (meaning: string) => text.optional().describe(meaning)

/** Whether something is done. */
export const yesOrNo = z.boolean('expected true or false')

/** Address of a service. */
export const serviceUrl = z.url({
  protocol: /^https?$/,
  error: 'expected an address that begins with http:// or https://',
})

const QUOTA = 'a quota is from 0.001 to 1'

/** Share of rate limits: with less than a thousandth, each request waits for minutes. */
export const share = z.number(QUOTA).min(0.001, QUOTA).max(1, QUOTA)

/** A part of all, from 0 to 1. */
export const part = z.number().min(0, 'a share is from 0 to 1').max(1, 'a share is from 0 to 1')

const SIZE = /^(\d+(?:\.\d+)?)\s*(K|M|G|T)(i?)B$/i

/** Memory that DuckDB may use, in its own words: with less than this it cannot even open a warehouse. */
export const size = z
  .string('expected a size such as 512MB')
  .regex(SIZE, 'expected a size such as 512MB')
  .refine((written) => !(bytesOf(written) < 64e6), 'DuckDB needs 64MB or more')

/** Returns the bytes of a size such as 512MB; NaN for anything else. */
export function bytesOf(written: string): number {
  const [, number, unit = '', binary] = SIZE.exec(written) ?? []
  return Number(number) * (binary ? 1_024 : 1_000) ** ('KMGT'.indexOf(unit.toUpperCase()) + 1)
}
