import { type Client, type ClientOptions, createClient } from '../client/client.ts'
import type { Account } from '../config/accounts-section.ts'
import { requireService } from '../config/config.ts'
import type { Context } from './context.ts'

/** Also removes the account's key from all later output. @throws ConfigError if a setting is missing */
export function openClient(
  { console, keepSecret, signal }: Context,
  account: Account,
  options: Pick<ClientOptions, 'effects' | 'maxRetryMs'>,
): Client {
  const service = requireService(account)
  keepSecret(service.appKey)
  return createClient({ ...options, ...service, quota: account.quota, signal, onWait: console.note })
}
