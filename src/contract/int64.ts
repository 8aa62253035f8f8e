import { z } from 'zod'

/** A 64-bit integer: a number up to 2^53 - 1 and a bigint beyond, so that no digit is lost. */
export type Int64 = number | bigint

export const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const

export function int64In(
  min: number | bigint,
  max: number | bigint = INT64.max,
  error = `expected an integer from ${min} to ${max}`,
) {
  const isInteger = (value: unknown): value is Int64 =>
    typeof value === 'bigint' || Number.isSafeInteger(value)
  return z
    .custom<Int64>((value) => isInteger(value) && value >= min && value <= max, error)
    .meta({ int64: { min: BigInt(min), max: BigInt(max) } })
}

export const int64 = int64In(INT64.min, INT64.max, 'expected a 64-bit integer')

export const uint64 = int64In(0, 2n ** 64n - 1n)

/** Unix seconds up to the end of the year 9999. 0 means not set, still active or not closed. */
export const unixSeconds = int64In(0, 253_402_300_799)
