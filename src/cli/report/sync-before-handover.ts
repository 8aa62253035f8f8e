import type { Config } from '../../config/config.ts'
import { errorText, FaultlineError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { runAccounts } from '../sync/run-accounts.ts'

/**
 * Syncs incidents before a handover. A failed sync does not prevent the handover. @returns notes, empty after a complete sync
 */
export async function syncBeforeHandover(context: Context, config: Config): Promise<string[]> {
  try {
    const { outcomes } = await runAccounts(context, config, config.accounts, { resources: ['incidents'] })
    return outcomes.flatMap((one) => {
      const whose = one.name === null ? '' : ` of ${one.name}`
      if ('error' in one) return failed(whose, errorText(one.error))
      return one.summary.complete
        ? []
        : failed(whose, one.summary.failures.map(({ message }) => message).join('; '))
    })
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    return failed('', errorText(error))
  }
}

const failed = (whose: string, reason: string) => [
  `The sync${whose} before this handover failed: ${reason.split('\n', 1)[0]}`,
]
