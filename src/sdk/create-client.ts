import { checkOptions, type Expected } from '../check-options.ts'
import { type Client, type ClientOptions, createClient as create } from '../client/client.ts'

const EXPECTED = {
  ...{ baseUrl: 'required', appKey: 'required', insecure: 'boolean', quota: 'number', effects: 'object' },
  ...{ maxRetryMs: 'number', timeoutMs: 'number', signal: 'signal', onWait: 'function' },
} as const satisfies Expected<ClientOptions>

/**
 * Returns a client of the service.
 * @throws ConfigError for an option that is unknown, missing or out of range, and for an address that begins with http:// unless
 * `insecure` is set
 */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, EXPECTED)
  return create(options)
}
