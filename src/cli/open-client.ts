import { type Client, type ClientOptions, createClient } from '../client/client.ts'
import type { Account } from '../config/accounts-section.ts'
import { type Config, chooseAccount, requireService } from '../config/config.ts'
import type { Context } from './context.ts'

/** Opens a client of the account, and removes its key from all later output. @throws ConfigError if a setting is missing */
export function openClient(
  context: Context,
  config: Config,
  options: Pick<ClientOptions, 'effects' | 'maxRetryMs'>,
  account: Account = chooseAccount(config, undefined),
): Client {
  const { baseUrl, appKey, insecure } = requireService(account)
  context.keepSecret(appKey)
  return createClient({
    ...options,
    ...{ baseUrl, appKey, insecure },
    quota: account.quota,
    signal: context.signal,
    onWait: context.console.note,
  })
}
