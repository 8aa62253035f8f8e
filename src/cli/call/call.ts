import { readFileSync } from 'node:fs'
import { operationNamed } from '../../client/check-call.ts'
import type { Outcome } from '../../client/retry.ts'
import { chooseAccount, loadConfig, requireService } from '../../config/config.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import { requestSchema } from '../../contract/openapi-schema.ts'
import type { Operation } from '../../contract/operation.ts'
import { realEffects, silent } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { reasonOf } from '../../external-errors.ts'
import { cleanForTerminal } from '../../render/sanitize-text.ts'
import type { Flags, Texts } from '../command.ts'
import { confirm } from '../confirm.ts'
import { type Console, consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { openClient } from '../open-client.ts'
import { unknownFields } from './call-fields.ts'

export async function callOperation(
  context: Context,
  name: string,
  input: string | undefined,
  { account: wanted, yes }: Texts<'account'> & Flags<'yes'>,
): Promise<number> {
  const operation = operationNamed(name)
  const request = parseInput(input)
  // Only a warning: the service ignores unknown fields, and might know fields that its document does not list.
  for (const { name: field, next } of unknownFields(requestSchema(operation.request), request)) {
    const warning = `"${cleanForTerminal(field)}" is not a field of ${operation.name} and is ignored.`
    context.console.note(['warning:', warning, next].filter(Boolean).join(' '))
  }
  // This check comes after the warnings, because a missing field is often a misspelled one.
  checkRequest(operation, request)
  const config = loadConfig(context.overrides)
  const account = chooseAccount(config, wanted)
  requireService(account)
  if (operation.writes && !yes)
    await confirm(operation.summary, 'This operation changes data on the service.')
  const effects = context.verbose
    ? consoleEffects(context.console, true)
    : realEffects({ ...silent, warn: (message, facts) => noteRetry(context.console, message, facts) })
  const client = openClient(context, account, { effects })
  try {
    // Does not retry a failed connection, because a person is waiting.
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

function noteRetry({ note }: Console, message: string, facts: Record<string, unknown> = {}): void {
  if (message !== 'trying again') return
  const reason = REASONS[facts.outcome as keyof typeof REASONS]
  const seconds = (Number(facts.waitMs) / 1_000).toFixed(1)
  note(`${reason}; trying again in ${seconds} s (attempt ${Number(facts.attempt) + 1}).`)
}

/** Validates a request. @throws ConfigError that lists every invalid field */
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

/** Parses JSON from the argument, from a file (`@file`) or from standard input (`-`). */
function parseInput(input: string | undefined): unknown {
  const text = input === undefined ? '{}' : input === '-' ? readFileSync(0, 'utf8') : fileOrText(input)
  try {
    return parseJson(text)
  } catch (error) {
    throw new ConfigError(`The input is not JSON: ${reasonOf(error)}`, {
      next: `Write it in single quotes, such as '{"channel_id": 1}', or as @file or -.`,
    })
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
