import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Machine } from './machines.js'
import type { Acts } from './service-process.js'

const PROGRAM = fileURLToPath(new URL('./service-process.js', import.meta.url))

/** An account of the service, as a configuration names it. */
export interface ServedAccount {
  readonly id: number
  readonly baseUrl: string
  readonly appKey: string
  readonly incidents: number
}

export interface Service {
  readonly accounts: readonly ServedAccount[]
  ask<Name extends keyof Acts>(
    name: Name,
    input: Parameters<Acts[Name]>[0],
  ): Promise<Awaited<ReturnType<Acts[Name]>>>
  stop(): void
}

/** Starts the service of so many accounts as there are sizes, on a machine of its own. */
export async function startService(
  machine: Machine,
  sizes: readonly number[],
  hasLimits = true,
): Promise<Service> {
  const child = machine.spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(child, 'message')
  let last = 0
  const ask: Service['ask'] = (name, input) =>
    new Promise((resolve, reject) => {
      const own = ++last
      const listen = ({ id, result, error }: { id: number; result: never; error?: string }) => {
        if (id !== own) return
        child.off('message', listen)
        if (error === undefined) resolve(result)
        else reject(new Error(error))
      }
      child.on('message', listen).setMaxListeners(0)
      child.send({ id: own, name, input })
    })
  const started = await ask('start', { sizes, hasLimits })
  return {
    accounts: started.map(({ port, appKey }, index) => ({
      id: index + 1,
      baseUrl: `http://${machine.address}:${port}`,
      appKey,
      incidents: sizes[index]!,
    })),
    ask,
    stop: () => void child.kill(),
  }
}
