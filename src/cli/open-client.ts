import { type Client, type ClientOptions, createClient } from '../client/client.ts'
import { secretsIn } from '../client/shared-bucket.ts'
import type { Account } from '../config/accounts-section.ts'
import { type Config, chooseAccount, requireService } from '../config/config.ts'
import { redisOf } from '../config/limits-section.ts'
import type { Context } from './context.ts'

/**
 * A client of the account, the only one unless given, that keeps its share of the limits. From here on the key, and the
 * address of Redis where it holds a password, are taken out of everything that is printed.
 * @throws ConfigError when address or key is missing, or several accounts are configured and none is given
 */
export function openClient(
  context: Context,
  config: Config,
  options: Pick<ClientOptions, 'effects' | 'maxRetryMs'>,
  account: Account = chooseAccount(config, undefined),
): Client {
  const { baseUrl, appKey, insecure } = requireService(account)
  const redis = redisOf(config.limits)
  for (const secret of [appKey, ...(redis === undefined ? [] : secretsIn(redis))]) context.keepSecret(secret)
  return createClient({
    ...options,
    ...{ baseUrl, appKey, insecure },
    quota: account.quota,
    redis,
    signal: context.signal,
    onWait: context.console.note,
  })
}
