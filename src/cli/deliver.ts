import { join, relative } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Targets, targetsOf } from '../config/delivery-targets.ts'
import { deliver } from '../delivery/deliver.ts'
import type { ReportResult } from '../render/result.ts'
import { consoleEffects } from './console.ts'
import type { Context } from './context.ts'

/** The channels of delivery. Their secrets are removed from all later output. */
export function readTargets(context: Context, config: Config): Targets {
  const targets = targetsOf(config.delivery)
  for (const secret of targets.secrets) context.keepSecret(secret)
  return targets
}

/**
 * Delivers reports one after the other and prints where each went.
 * @returns the failures, a sentence each
 */
export async function deliverAll(
  context: Context,
  results: readonly ReportResult[],
  { targets, out }: { readonly targets: Targets; readonly out: string },
): Promise<string[]> {
  const effects = consoleEffects(context.console, context.verbose)
  const failures: string[] = []
  for (const result of results) {
    for (const { report, channel, to, error } of await deliver(result, {
      out,
      targets,
      effects,
      signal: context.signal,
    })) {
      if (!error) {
        context.console.out(channel === 'folder' ? relative('', join(out, to)) : `${report}: sent to ${to}`)
        continue
      }
      failures.push(`${report}: ${error.message}`)
      context.console.note(`error: ${report}: ${error.message}${error.next ? `\n  ${error.next}` : ''}`)
    }
  }
  return failures
}
