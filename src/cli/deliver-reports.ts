import { join, relative } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Targets, targetsOf } from '../config/delivery-targets.ts'
import { type DeliverOptions, deliver } from '../delivery/deliver.ts'
import type { Effects } from '../effects.ts'
import { DeliveryError, wordsOf } from '../errors.ts'
import type { ReportResult } from '../render/result.ts'
import { publishedAt } from '../warehouse/file-or-lake.ts'
import { consoleEffects } from './console.ts'
import type { Context } from './context.ts'

/** The channels of delivery. Their secrets are removed from all later output. */
export function readTargets(context: Context, config: Config): Targets {
  const targets = targetsOf(config.delivery)
  for (const secret of targets.secrets) context.keepSecret(secret)
  return targets
}

/** A report that did not get to one of its targets. */
interface Undelivered {
  readonly message: string
  /** Whether it may get there later. */
  readonly isTransient: boolean
}

interface Sending extends Pick<DeliverOptions, 'targets' | 'out' | 'key' | 'again' | 'waits'> {
  /** Of which warehouse, whose ledger says what was sent. */
  readonly warehouse: Config['warehouse']
  /** The parameters that were given, see `Subject`. */
  readonly parameters: string
  /** The time of its schedule that a report is for, Unix ms; undefined for one that was asked for by hand. */
  due(report: string): number | undefined
}

/** Real effects whose warnings are told in any case: a delivery may wait for long. */
function toldEffects({ console, verbose }: Context): Effects {
  const effects = consoleEffects(console, verbose)
  if (verbose) return effects
  const warn = (message: string, { report, error, next }: Record<string, unknown> = {}) =>
    console.note(`${[report, message, error].filter(Boolean).join(': ')}${next ? `\n  ${next}` : ''}`)
  return { ...effects, log: { ...effects.log, warn } }
}

/** Delivers reports side by side and prints where each went. */
export async function deliverAll(
  context: Context,
  results: readonly ReportResult[],
  { warehouse, parameters, due, ...sending }: Sending,
): Promise<Undelivered[]> {
  const { console, signal } = context
  const effects = toldEffects(context)
  const ledger = publishedAt(warehouse).deliveries
  const one = (result: ReportResult) => {
    const time = due(result.name)
    const subject = {
      parameters,
      due: time === undefined ? `data of ${result.run.as_of_at}` : new Date(time).toISOString(),
    }
    return deliver(result, { ...sending, effects, signal, ledger, subject })
  }
  const failures: Undelivered[] = []
  const print = (all: Awaited<ReturnType<typeof one>>) => {
    for (const { report, channel, to, error, sentAt } of all) {
      if (error) {
        failures.push({
          message: `${report}: ${error.message}`,
          isTransient: error instanceof DeliveryError && error.isTransient,
        })
        console.error(`${report}: ${wordsOf(error)}`)
      } else if (channel === 'folder') console.out(relative('', join(sending.out, to)))
      else if (sentAt === null) console.out(`${report}: sent to ${to}`)
      else console.out(`${report}: sent to ${to} before, at ${sentAt}; --again sends it again`)
    }
  }
  // A browser for each picture at once would be too many.
  const isPictured = sending.targets.mail?.picture || sending.targets.webhook?.picture
  if (isPictured) for (const result of results) print(await one(result))
  else for (const all of await Promise.all(results.map(one))) print(all)
  return failures
}
