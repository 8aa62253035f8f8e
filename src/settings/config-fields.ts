import { z } from 'zod'

const TEXT = 'expected a non-empty string'

export const text = z.string(TEXT).min(1, TEXT)

export const optionalText = (meaning: string) => text.optional().describe(meaning)

export const yesOrNo = z.boolean('expected true or false')

export const flag = (preset: boolean, meaning: string) => yesOrNo.default(preset).describe(meaning)

/** Reports an error at a path within the checked value. @param next how to fix the error */
export function refuse(context: z.RefinementCtx, message: string, path: PropertyKey[] = [], next?: string) {
  context.addIssue({ code: 'custom', message, path, params: { next } })
  return z.NEVER
}

export const serviceUrl = z.url({
  protocol: /^https?$/,
  error: 'expected an address that begins with http:// or https://',
})

const QUOTA = 'expected a quota from 0.001 to 1'

/** Share of the rate limits to use. With less than 0.001, each request would wait for minutes. */
export const quota = z.number(QUOTA).min(0.001, QUOTA).max(1, QUOTA)

const SHARE = 'expected a share from 0 to 1'

export const share = z.number().min(0, SHARE).max(1, SHARE)

const SIZE = /^(\d+(?:\.\d+)?)\s*(K|M|G|T)(i?)B$/i

/** Memory limit for DuckDB, such as 512MB. With less than 64 MB, DuckDB cannot open a warehouse. */
export const size = z
  .string('expected a size such as 512MB')
  .regex(SIZE, 'expected a size such as 512MB')
  .refine((written) => !(bytesOf(written) < 64e6), 'DuckDB needs 64MB or more')

/** Converts a size such as 512MB to a number of bytes. Returns NaN if it is invalid. */
export function bytesOf(written: string): number {
  const [, number, unit = '', binary] = SIZE.exec(written) ?? []
  return Number(number) * (binary ? 1_024 : 1_000) ** ('KMGT'.indexOf(unit.toUpperCase()) + 1)
}

/** Returns the indexes of entries whose name equals the name of an earlier entry, ignoring case. */
export function duplicates(all: readonly { readonly name: string }[]): number[] {
  const names = all.map(({ name }) => name.toLowerCase())
  return [...names.keys()].filter((index) => names.indexOf(names[index]!) < index)
}
