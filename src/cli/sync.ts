import { type Config, loadConfig } from '../config.ts'
import type { Effects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { resources as allResources } from '../resources/index.ts'
import type { Progress } from '../sync/progress.ts'
import { type SyncResult, sync } from '../sync/sync.ts'
import { version } from '../version.ts'
import { type Console, consoleEffects } from './console.ts'
import type { Context } from './context.ts'
import { parseMoment } from './moment.ts'
import { openClient } from './open-client.ts'
import { pickResources } from './pick-resources.ts'
import { planText } from './plan-text.ts'
import { progressLine } from './progress-line.ts'
import { syncText } from './sync-text.ts'

export interface SyncFlags {
  readonly plan?: boolean
  readonly full?: boolean
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
}

/**
 * `faultline sync`: one whole sync, or with --plan only what it would do. `done` is given what a sync came to.
 * Returns the exit status.
 */
export async function syncCommand(
  context: Context,
  names: readonly string[],
  flags: SyncFlags,
  done: (result: SyncResult) => void = () => {},
): Promise<number> {
  const config = loadConfig(context.overrides)
  const chosen = pickResources(names.length > 0 ? names : config.resources, allResources)
  const effects = consoleEffects(context.console, context.verbose)
  const client = openClient(context, config, { effects })
  const common = {
    client,
    path: config.warehouse,
    accountId: config.accountId,
    resources: chosen,
    known: allResources,
    effects,
    signal: context.signal,
    scope: scopeOf(config, flags),
  }
  try {
    if (flags.plan) {
      const { previewSync } = await import('../sync/preview.ts')
      const preview = await previewSync({ ...common, quota: config.sync.quota })
      context.console.out(flags.json ? JSON.stringify(preview) : planText(preview))
      return 0
    }
    const result = await sync({
      ...common,
      memoryLimit: config.sync.memoryLimit,
      settings: config.settings,
      concurrency: config.sync.concurrency,
      version,
      onProgress: progressTo(context.console, config.sync.quota, effects),
    })
    done(result)
    context.console.clearProgress()
    context.console.out(flags.json ? JSON.stringify(result) : syncText(result, config.warehouse))
    return exitStatus(result)
  } finally {
    await client.close()
  }
}

/** 0 when everything was read and everything fitted. */
export function exitStatus(result: SyncResult): number {
  return result.status === 'ok' ? 0 : 1
}

function scopeOf(config: Config, flags: SyncFlags) {
  return (now: number) => {
    const since = parseMoment(flags.since ?? config.sync.since, now, flags.since ? '--since' : 'sync.since')
    const until = flags.until === undefined ? undefined : parseMoment(flags.until, now, '--until')
    if (since >= (until ?? now)) {
      throw new ConfigError(
        'There is no time to read: the oldest incidents wanted are not before the newest.',
        {
          next: `Give an earlier ${flags.since ? '--since' : 'sync.since'}${until === undefined ? '' : ' or a later --until'}.`,
        },
      )
    }
    return {
      now,
      since,
      ...(until === undefined ? {} : { until }),
      lookbackDays: config.sync.lookbackDays,
      windowSeconds: config.sync.windowDays,
      full: flags.full ?? false,
    }
  }
}

/** A line that is rewritten on a terminal; JSON lines, at most one in two seconds, anywhere else. */
export function progressTo(console: Console, quota: number, { now }: Pick<Effects, 'now'>) {
  let last = 0
  return (progress: Progress) => {
    if (console.isTerminal) return console.progress(progressLine(progress, quota))
    if (now() - last < 2_000) return
    last = now()
    console.note(JSON.stringify({ event: 'progress', ...progress }))
  }
}
