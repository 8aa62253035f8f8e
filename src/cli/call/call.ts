import { readFileSync } from 'node:fs'
import { operationNamed } from '../../client/check-call.ts'
import type { Outcome } from '../../client/retry.ts'
import { chooseAccount, loadConfig, requireService } from '../../config/config.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import { requestSchema } from '../../contract/openapi-schema.ts'
import type { Operation } from '../../contract/operation.ts'
import { realEffects, silent } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { cleanForTerminal } from '../../render/sanitize-text.ts'
import { confirm } from '../confirm.ts'
import { type Console, consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { openClient } from '../open-client.ts'
import { unknownFields } from './call-fields.ts'

interface CallOptions {
  readonly account?: string | undefined
  readonly yes?: boolean | undefined
}

/** Runs `faultline call`. Validates the input first, and asks for confirmation before operations that write. */
export async function callOperation(
  context: Context,
  name: string,
  input: string | undefined,
  options: CallOptions,
): Promise<number> {
  const operation = operationNamed(name)
  const request = parseInput(input)
  // This is only a warning. The service ignores unknown fields and might accept undocumented ones.
  for (const { name: field, next } of unknownFields(requestSchema(operation.request), request)) {
    const hint = next === undefined ? '' : ` ${next}`
    context.console.note(
      `warning: "${cleanForTerminal(field)}" is not a field of ${operation.name} and is ignored.${hint}`,
    )
  }
  // Runs after the check for unknown fields, because a field that seems to be missing is often misspelled.
  checkRequest(operation, request)
  const config = loadConfig(context.overrides)
  const account = chooseAccount(config, options.account)
  requireService(account)
  if (operation.writes && !options.yes)
    await confirm(operation.summary, 'This operation changes data on the service.')
  const effects = context.verbose
    ? consoleEffects(context.console, true)
    : realEffects({ ...silent, warn: (message, facts) => noteRetry(context.console, message, facts) })
  const client = openClient(context, account, { effects })
  try {
    // If the address does not answer, the call fails immediately, because a person is waiting.
    const reply = await client.call(operation.name, request as never, { connectRetryMs: 0 })
    context.console.out(stringifyJson(reply.data, 2))
    context.console.note(`request ${reply.requestId}`)
    return 0
  } finally {
    await client.close()
  }
}

const REASONS: Readonly<Record<Exclude<Outcome['kind'], 'final'>, string>> = {
  throttled: 'The rate limit was exceeded',
  failed: 'The service failed',
  lost: 'The response was incomplete',
  unreached: 'The service could not be reached',
  garbled: 'The response is invalid',
}

function noteRetry({ note }: Console, message: string, { outcome, waitMs, attempt }: Facts = {}): void {
  if (message !== 'trying again') return
  const seconds = (Number(waitMs) / 1_000).toFixed(1)
  note(
    `${REASONS[outcome as keyof typeof REASONS]}; trying again in ${seconds} s (attempt ${Number(attempt) + 1}).`,
  )
}

type Facts = Record<string, unknown>

/** @throws ConfigError listing every invalid field */
function checkRequest(operation: Operation, request: unknown): void {
  const issues = operation.request.safeParse(request).error?.issues ?? []
  if (issues.length === 0) return
  const told = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  throw new ConfigError(`Invalid input for ${operation.name}: ${told.join('; ')}`, {
    next: `faultline call ${operation.name} --help shows its fields.`,
  })
}

/** Parses JSON from the command line, `@file`, or `-` for standard input. No input means an empty object. */
function parseInput(input: string | undefined): unknown {
  const text = input === undefined ? '{}' : input === '-' ? readFileSync(0, 'utf8') : fileOrText(input)
  try {
    return parseJson(text)
  } catch (error) {
    throw new ConfigError(
      `The input is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      {
        next: `Write it in single quotes, such as '{"channel_id": 1}', or as @file or -.`,
      },
    )
  }
}

function fileOrText(input: string): string {
  if (!input.startsWith('@')) return input
  try {
    return readFileSync(input.slice(1), 'utf8')
  } catch (cause) {
    throw new ConfigError(`${input.slice(1)} cannot be read.`, { cause })
  }
}
