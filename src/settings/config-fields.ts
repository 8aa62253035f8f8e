import { z } from 'zod'

const TEXT = 'expected a non-empty string'

/** A path or a name. */
export const text = z.string(TEXT).min(1, TEXT)

export const optionalText = (meaning: string) => text.optional().describe(meaning)

export const yesOrNo = z.boolean('expected true or false')

export const serviceUrl = z.url({
  protocol: /^https?$/,
  error: 'expected an address that begins with http:// or https://',
})

const QUOTA = 'expected a quota from 0.001 to 1'

/** Share of the rate limits. With less than one thousandth, each request would wait for minutes. */
export const share = z.number(QUOTA).min(0.001, QUOTA).max(1, QUOTA)

/** A share from 0 to 1. */
export const part = z.number().min(0, 'expected a share from 0 to 1').max(1, 'expected a share from 0 to 1')

const SIZE = /^(\d+(?:\.\d+)?)\s*(K|M|G|T)(i?)B$/i

/** Memory limit of DuckDB, in DuckDB's notation. With less than the minimum, DuckDB cannot open a warehouse. */
export const size = z
  .string('expected a size such as 512MB')
  .regex(SIZE, 'expected a size such as 512MB')
  .refine((written) => !(bytesOf(written) < 64e6), 'DuckDB needs 64MB or more')

/** Returns the bytes of a size such as 512MB, or NaN if it is invalid. */
export function bytesOf(written: string): number {
  const [, number, unit = '', binary] = SIZE.exec(written) ?? []
  return Number(number) * (binary ? 1_024 : 1_000) ** ('KMGT'.indexOf(unit.toUpperCase()) + 1)
}
