import type { ChildProcess } from 'node:child_process'
import type { Sandbox } from '../../dist/sandbox/start-sandbox.js'
import type { SyncPlan } from './plan.ts'

/** Kills a sync with SIGKILL some milliseconds after so many pages were asked for, or not at all when it ends before. */
export async function killWhen(
  child: ChildProcess,
  { pages, ms }: NonNullable<SyncPlan['kill']>,
  service: Sandbox,
): Promise<void> {
  const asked = () =>
    Object.values(service.stats().operations['incident/list'] ?? {}).reduce((sum, n) => sum + n, 0)
  const from = asked()
  let armed: NodeJS.Timeout | undefined
  const watching = setInterval(() => {
    if (armed === undefined && asked() - from >= pages) armed = setTimeout(() => child.kill('SIGKILL'), ms)
  }, 2)
  await new Promise((resolve) => child.once('close', resolve))
  clearInterval(watching)
  clearTimeout(armed)
}
