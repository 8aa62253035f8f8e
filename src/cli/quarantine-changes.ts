import { existsSync } from 'node:fs'
import { type Config, requirePrivacy } from '../config.ts'
import { resources } from '../resources/index.ts'
import type { Resource } from '../resources/resource.ts'
import { withPrivacy } from '../resources/with-privacy.ts'
import { halfWay } from '../sync/ledger.ts'
import { openUnderRules } from '../sync/open-under-rules.ts'
import { type Replayed, replayQuarantine } from '../sync/replay.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { noWarehouse } from '../warehouse/no-warehouse.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import type { Context } from './context.ts'
import type { Waiting } from './waiting.ts'

/** Judges all that waits again. Returns 0 when nothing waits any more. */
export async function replay(
  { console }: Context,
  config: Config,
  flags: { readonly json?: boolean },
): Promise<number> {
  const { result, published } = await changing(config, async (warehouse, known) => {
    const replayed = await replayQuarantine(warehouse, known)
    return { result: replayed, isChanged: replayed.loaded + replayed.outdated > 0 }
  })
  console.out(flags.json ? JSON.stringify({ ...result, published }) : replayText(result))
  return result.waiting === 0 ? 0 : 1
}

/** Gives a record up: one that tells no key is settled by no good copy. Should it come again, it waits again. */
export async function forget({ console }: Context, config: Config, one: Waiting): Promise<number> {
  await changing(config, async ({ db }) => {
    const { numDeletedRows } = await db
      .deleteFrom('quarantine')
      .where('account_id', 'is not distinct from', one.account_id as bigint | null)
      .where('resource', '=', one.resource)
      .where('payload', '=', one.payload)
      .executeTakeFirstOrThrow()
    return { result: numDeletedRows, isChanged: numDeletedRows > 0n }
  })
  console.out(`Record ${one.id} of ${one.resource} waits no longer.`)
  return 0
}

/** Changes the warehouse under its lock, as a sync does, and shows readers what came of it at once. */
async function changing<Result>(
  config: Config,
  act: (warehouse: Warehouse, known: readonly Resource[]) => Promise<{ result: Result; isChanged: boolean }>,
): Promise<{ result: Result; published: boolean }> {
  const known = withPrivacy(resources, requirePrivacy(config))
  const { published, working } = warehouseFiles(config.warehouse)
  if (!existsSync(published) && !existsSync(working)) throw noWarehouse(published)
  const warehouse = await openUnderRules(config.warehouse, known, {
    memoryLimit: config.sync.memoryLimit,
    now: Date.now(),
  })
  try {
    const { result, isChanged } = await act(warehouse, known)
    const held = await halfWay(warehouse.db)
    // What was never read whole is not shown to readers for the first time by this.
    const isShown = isChanged && (held.length === 0 || existsSync(published))
    if (isShown) await warehouse.publish(held)
    return { result, published: isShown }
  } finally {
    await warehouse.close()
  }
}

function replayText({ loaded, outdated, waiting }: Replayed): string {
  const count = (rows: number) => rows.toLocaleString('en')
  const parts = [
    `${count(loaded)} ${loaded === 1 ? 'record fits now and is' : 'records fit now and are'} loaded`,
  ]
  if (outdated > 0) parts.push(`${count(outdated)} fit, but a newer copy was there`)
  parts.push(`${count(waiting)} still ${waiting === 1 ? 'waits' : 'wait'}`)
  return `${parts.join('; ')}.`
}
