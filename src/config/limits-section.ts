import { z } from 'zod'
import { optionalText } from './config-fields.ts'
import { pathFrom, secretIn } from './secret-file.ts'

/** Where processes and machines that use one key share its rate limits. */
export const limitsSchema = z
  .strictObject({
    redis: z
      .url({ protocol: /^rediss?$/, error: 'expected an address that begins with redis:// or rediss://' })
      .optional()
      .describe('Address of a Redis server. One with a password in it is a secret: rather use `redisFile`.'),
    redisFile: optionalText('A file that holds nothing but the address; FAULTLINE_REDIS_URL goes before it.'),
  })
  .prefault({})

/** The section with absolute paths, and what only the environment says. */
export type Limits = z.output<typeof limitsSchema> & { readonly redisUrl: string | undefined }

/** `variable` reads the environment; paths are seen from `folder`. */
export function limitsOf(
  { redis, redisFile }: z.output<typeof limitsSchema>,
  folder: string,
  variable: (name: string) => string | undefined,
): Limits {
  return {
    redis,
    redisFile: pathFrom(folder, redisFile),
    redisUrl: variable('FAULTLINE_REDIS_URL'),
  }
}

/**
 * The address of the Redis server that shares the limits, if there is one. Its file is read only here.
 * @throws ConfigError when the file cannot be read
 */
export function redisOf({ redis, redisFile, redisUrl }: Limits): string | undefined {
  return redisUrl ?? secretIn(redisFile, 'The address of the Redis server') ?? redis
}
