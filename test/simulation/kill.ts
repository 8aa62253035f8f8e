import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '../../dist/sandbox/start-sandbox.js'

/** The event that kills a sync. All times and numbers count from the start of the sync. */
export type KillMoment =
  /** After some milliseconds, which may be during the start of the process. */
  | { readonly kind: 'any time'; readonly ms: number }
  /** Some milliseconds after a number of requests for pages of incidents. */
  | { readonly kind: 'reading'; readonly pages: number; readonly ms: number }
  /** At the nth write to the working file's write-ahead log, which may be before, inside or after a transaction. */
  | { readonly kind: 'storing'; readonly writes: number }
  /** Some milliseconds after the copy to be published appears, or after it has been renamed. */
  | { readonly kind: 'publishing'; readonly renamed: boolean; readonly ms: number }

/** Kills a running sync with SIGKILL at a given moment. Returns false if the sync ended before that moment. */
export async function killAt(
  child: ChildProcess,
  moment: KillMoment,
  service: Sandbox,
  warehouse: string,
): Promise<boolean> {
  let isKilled = false
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) isKilled = child.kill('SIGKILL')
  }
  const forget = ARM[moment.kind](moment as never, kill, service, warehouse)
  await new Promise((resolve) => child.once('close', resolve))
  forget()
  return isKilled && child.signalCode === 'SIGKILL'
}

type Moment<Kind> = Extract<KillMoment, { kind: Kind }>
type Arm<Kind> = (moment: Moment<Kind>, kill: () => void, service: Sandbox, warehouse: string) => () => void

const ARM: { [Kind in KillMoment['kind']]: Arm<Kind> } = {
  'any time': ({ ms }, kill) => after(ms, kill),
  reading({ pages, ms }, kill, service) {
    const asked = () =>
      Object.values(service.stats().operations['incident/list'] ?? {}).reduce((sum, n) => sum + n, 0)
    const from = asked()
    let forget: (() => void) | undefined
    const timer = setInterval(() => {
      if (asked() - from >= pages) forget ??= after(ms, kill)
    }, 2)
    return () => {
      clearInterval(timer)
      forget?.()
    }
  },
  storing({ writes }, kill, _, warehouse) {
    let seen = 0
    return onFile(`${warehouse}.sync`, /\.duckdb\.wal$/, () => {
      if (++seen === writes) kill()
    })
  },
  publishing({ renamed, ms }, kill, _, warehouse) {
    const next = join(`${warehouse}.sync`, 'next.duckdb')
    let forget = () => {}
    const stop = onFile(`${warehouse}.sync`, /^next\.duckdb$/, () => {
      // A file with this name exists from the start of the copy until the copy is renamed.
      if (existsSync(next) === renamed) return
      stop()
      forget = after(ms, kill)
    })
    return () => {
      stop()
      forget()
    }
  },
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/** Calls `act` at every change of a file with this name in a folder. Creates the folder if necessary. */
function onFile(folder: string, file: RegExp, act: () => void): () => void {
  mkdirSync(folder, { recursive: true })
  const watcher = watch(folder, (_, name) => {
    if (file.test(name ?? '')) act()
  })
  return () => watcher.close()
}
