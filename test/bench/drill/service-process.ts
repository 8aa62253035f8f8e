/** The service of many accounts: a sandbox for each, in one process that is asked by messages. */
import { type Sandbox, startSandbox } from '../../../dist/sandbox/start-sandbox.js'
import { sideDoor } from '../../support/side-door.ts'
import { differences } from '../../support/truth.ts'
import { othersDiffer } from '../sound-warehouse.ts'

const NOW = 1_767_225_600
const sandboxes = new Map<number, Sandbox>()

const acts = {
  /** Starts accounts 1 to n, with so many incidents each. */
  async start({ sizes, hasLimits }: { sizes: readonly number[]; hasLimits: boolean }) {
    for (const [index, incidents] of sizes.entries()) {
      const accountId = index + 1
      const own = { now: NOW, seed: accountId, host: '0.0.0.0', appKey: `key-of-account-${accountId}` }
      sandboxes.set(accountId, await startSandbox({ ...own, incidents, accountId, limits: hasLimits }))
    }
    return [...sandboxes.values()].map(({ port, appKey }) => ({ port, appKey }))
  },
  /** Has time go on in all accounts. */
  async advance({ seconds }: { seconds: number }) {
    for (const { port } of sandboxes.values())
      await sideDoor(`http://127.0.0.1:${port}`, 'clock', { advance_s: seconds })
  },
  async stats() {
    return [...sandboxes.values()].map((one) => one.stats())
  },
  /** Number of incidents that the account has. */
  async count({ account }: { account: number }) {
    const { port } = sandboxes.get(account)!
    const text = await (await sideDoor(`http://127.0.0.1:${port}`, 'truth')).text()
    return text.split('\n').length - 1
  },
  /** How a file of the account differs from the service, in words. */
  async compare({ account, file }: { account: number; file: string }) {
    const sandbox = sandboxes.get(account)!
    const baseUrl = `http://127.0.0.1:${sandbox.port}`
    return [...(await differences(baseUrl, file)), ...(await othersDiffer({ ...sandbox, baseUrl }, file))]
  },
}
export type Acts = typeof acts

process.on('message', ({ id, name, input }: { id: number; name: keyof Acts; input: never }) => {
  acts[name](input).then(
    (result) => process.send!({ id, result }),
    (error: Error) => process.send!({ id, error: error.stack }),
  )
})
process.on('disconnect', () => process.exit())
process.send!({ id: 0 })
