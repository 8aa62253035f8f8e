import { z } from 'zod'

const MESSAGE = 'expected the number of an account; one above 9007199254740991 in quotes, to keep its digits'

/** Number of an account. A JSON number loses digits beyond 2^53, so it may be written as a text. Its output is a bigint. */
export const accountId = z
  .union([z.int(MESSAGE).positive(MESSAGE), z.string().regex(/^[1-9]\d{0,18}$/, MESSAGE)], MESSAGE)
  .transform((value) => BigInt(value))
