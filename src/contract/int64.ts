import { z } from 'zod'

/** A 64-bit signed integer. It is a number up to 2^53 - 1 and a bigint beyond, so that no digit is lost. */
export type Int64 = number | bigint

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n

/** The bounds of 64 signed bits, both included. */
export const INT64 = { min: MIN, max: MAX } as const

/** Whether the value is an integer that fits 64 signed bits. */
export function isInt64(value: unknown): value is Int64 {
  if (typeof value === 'number') return Number.isSafeInteger(value)
  return typeof value === 'bigint' && value >= MIN && value <= MAX
}

/** The `int64` of the API document. */
export const int64 = z.custom<Int64>(isInt64, 'expected a 64-bit integer').meta({ int64: INT64 })

/** A 64-bit integer within the bounds, both included. */
export function int64In(min: number | bigint, max: number | bigint = MAX) {
  return z
    .custom<Int64>(
      (value) => isInt64(value) && value >= min && value <= max,
      `expected an integer from ${min} to ${max}`,
    )
    .meta({ int64: { min: BigInt(min), max: BigInt(max) } })
}

/** Unix seconds up to the end of the year 9999. 0 means not set, still active or not closed. */
export const unixSeconds = int64In(0, 253_402_300_799)

const UINT64_MAX = 2n ** 64n - 1n

/** The `uint64` of the API document, used for some identifiers in requests. */
export const uint64 = z
  .custom<Int64>(
    (value) =>
      typeof value === 'bigint'
        ? value >= 0n && value <= UINT64_MAX
        : Number.isSafeInteger(value) && (value as number) >= 0,
    `expected an integer from 0 to ${UINT64_MAX}`,
  )
  .meta({ int64: { min: 0n, max: UINT64_MAX } })
