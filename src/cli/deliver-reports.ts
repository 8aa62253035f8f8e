import { join, relative } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Targets, targetsOf } from '../config/delivery-targets.ts'
import { type DeliverOptions, deliver } from '../delivery/deliver.ts'
import type { Effects } from '../effects.ts'
import { DeliveryError, errorText } from '../errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import type { MadeReport } from '../site/write-page.ts'
import { consoleEffects } from './console.ts'
import type { Context } from './context.ts'

/** Returns the delivery channels, and removes their secrets from all later output. */
export function readTargets(context: Context, config: Config): Targets {
  const targets = targetsOf(config.delivery)
  for (const secret of targets.secrets) context.keepSecret(secret)
  return targets
}

export interface ReportToDeliver extends MadeReport, Pick<DeliverOptions, 'subject' | 'completes'> {}

interface Sending extends Pick<DeliverOptions, 'targets' | 'out' | 'again' | 'waits'> {
  /** The warehouse that stores the ledger of earlier deliveries. */
  readonly warehouse: Config['warehouse']
}

/** Uses the time of the data as period and due time, because a report requested by hand has no schedule. */
export function subjectByHand({ result }: MadeReport, parameters: string): DeliverOptions['subject'] {
  const data = `data of ${result.run.as_of_at}`
  return { parameters, period: data, isComplete: true, due: data }
}

/** Returns effects that print warnings even without `verbose`, because a delivery can wait for minutes. */
function toldEffects({ console, verbose }: Context): Effects {
  const effects = consoleEffects(console, verbose)
  if (verbose) return effects
  const warn = (message: string, { report, error, next }: Record<string, unknown> = {}) =>
    console.note(`${[report, message, error].filter(Boolean).join(': ')}${next ? `\n  ${next}` : ''}`)
  return { ...effects, log: { ...effects.log, warn } }
}

/** Delivers reports in parallel and prints the results. @returns the failures */
export async function deliverAll(
  context: Context,
  made: readonly ReportToDeliver[],
  { warehouse, ...sending }: Sending,
): Promise<{ message: string; isTransient: boolean }[]> {
  const { console, signal } = context
  const effects = toldEffects(context)
  const ledger = (await resolveStorage(warehouse)).deliveries
  const one = ({ result, ...report }: ReportToDeliver) =>
    deliver(result, { ...sending, ...report, effects, signal, ledger })
  const failures: { message: string; isTransient: boolean }[] = []
  const print = (all: Awaited<ReturnType<typeof one>>) => {
    for (const { report, channel, to, error, sentAt } of all) {
      if (error) {
        const isTransient = error instanceof DeliveryError && error.isTransient
        failures.push({ message: `${report}: ${error.message}`, isTransient })
        console.error(`${report}: ${errorText(error)}`)
      } else if (channel === 'folder') console.out(relative('', join(sending.out, to)))
      else if (sentAt === null) console.out(`${report}: sent to ${to}`)
      else console.out(`${report}: already sent to ${to} at ${sentAt}; --again sends it again`)
    }
  }
  // Each picture needs a browser, so reports with pictures are delivered one after another.
  const isPictured = sending.targets.mail?.picture || sending.targets.webhook?.picture
  if (isPictured) for (const report of made) print(await one(report))
  else for (const all of await Promise.all(made.map(one))) print(all)
  return failures
}
