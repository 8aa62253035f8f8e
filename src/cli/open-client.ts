import { type Client, type ClientOptions, createClient } from '../client/client.ts'
import { type Config, requireService } from '../config.ts'
import type { Context } from './context.ts'

/**
 * A client of the configured service that keeps the configured share of its limits together with the other runs of
 * this machine. From here on the key is taken out of everything that is printed.
 * @throws ConfigError when address or key is missing
 */
export function openClient(
  context: Context,
  config: Config,
  options: Pick<ClientOptions, 'effects' | 'patienceMs'>,
): Client {
  const { baseUrl, appKey } = requireService(config)
  context.keepSecret(appKey)
  return createClient({
    ...options,
    baseUrl,
    appKey,
    quota: config.sync.quota,
    sharing: { folder: config.runtime, warn: (message) => context.console.note(`Note: ${message}`) },
    signal: context.signal,
  })
}
