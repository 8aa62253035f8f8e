import { checkOptions, type Expected } from '../check-options.ts'
import { type Client, type ClientOptions, createClient as create } from '../client/client.ts'

const EXPECTED = {
  ...{ baseUrl: 'required', appKey: 'required', insecure: 'boolean', quota: 'number', effects: 'object' },
  ...{ maxRetryMs: 'number', timeoutMs: 'number', signal: 'signal', onWait: 'function' },
} as const satisfies Expected<ClientOptions>

/** @throws ConfigError for an unknown, missing or invalid option, or for an http:// address without `insecure` */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, EXPECTED)
  return create(options)
}
