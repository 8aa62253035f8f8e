import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type WarehouseFiles, warehouseFiles } from '../../warehouse/files.ts'
import { readHolder } from '../../warehouse/holder.ts'
import { LAYOUT_VERSION } from '../../warehouse/layout.ts'
import type { Reader } from '../../warehouse/reader.ts'
import { failed } from './failed.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Whether the warehouse can be read, and whether the next sync can write and publish it. `reader` is of the published copy. */
export async function checkWarehouse(path: string, reader: Reader | undefined): Promise<Finding[]> {
  const files = warehouseFiles(path)
  const folder = dirname(files.published)
  const unusable = folderFinding(folder)
  if (unusable) return [unusable]
  const copy = reader ? await copyFinding(files, reader) : noCopyFinding(files)
  return [copy, spaceFinding(files, folder)]
}

function folderFinding(folder: string): Finding | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return fail(
      'warehouse',
      existsSync(folder) ? `the folder ${folder} cannot be written` : `there is no folder ${folder}`,
      'Create it, mend its permissions, or give another path (--warehouse, FAULTLINE_WAREHOUSE or `warehouse`).',
    )
  }
}

function noCopyFinding({ published, working }: WarehouseFiles): Finding {
  return ok(
    'warehouse',
    existsSync(working)
      ? `${published} is not there yet: no sync has read everything so far`
      : `${published} is not there yet: the first sync makes it`,
  )
}

async function copyFinding(files: WarehouseFiles, reader: Reader): Promise<Finding> {
  try {
    const { rows } = await reader.query(`
      select (select max(value::int) from faultline_meta where key = 'layout'),
             (select strftime(max(as_of_at), '%Y-%m-%dT%H:%M:%SZ') from sync_runs),
             (select coalesce(sum(throttled), 0)::int from (from sync_runs order by run_id desc limit 5))`)
    const [layout, asOf, throttled] = rows[0] as [number | null, string | null, number]
    if (layout === null || layout > LAYOUT_VERSION) {
      return fail(
        'warehouse',
        layout === null
          ? `${files.published} holds no layout: it is not a warehouse of Faultline`
          : `${files.published} was written by a newer Faultline (layout ${layout}; this one knows ${LAYOUT_VERSION})`,
        'Update Faultline, or use another warehouse file.',
      )
    }
    const holder = readHolder(files.holder)
    const facts = [
      `${files.published} opens`,
      layout < LAYOUT_VERSION
        ? `layout ${layout}, which the next sync brings to ${LAYOUT_VERSION}`
        : `layout ${layout}`,
      asOf === null ? 'never read whole' : `as of ${asOf}`,
      ...(holder ? [`a sync is writing (process ${holder.pid}, since ${holder.since})`] : []),
    ]
    if (throttled === 0) return ok('warehouse', facts.join(', '))
    return warn(
      'warehouse',
      `${facts.join(', ')}; the last five runs met ${throttled} × 429`,
      "Others use the account's limits too: take a smaller share (`sync.quota`), or sync at another time.",
    )
  } catch (error) {
    return failed('warehouse', error)
  }
}

/** Publishing copies the sync's file before it replaces the one of readers. */
function spaceFinding({ published, working }: WarehouseFiles, folder: string): Finding {
  const size = Math.max(
    ...[published, working].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0),
  )
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const facts = `${bytes(free)} free in ${folder}; publishing needs ${bytes(size)}`
  if (free < size) return fail('disk', facts, 'Free disk space, or move the warehouse to a larger disk.')
  if (free < 2 * size) return warn('disk', facts, 'Free disk space: the warehouse grows with every run.')
  return ok('disk', facts)
}

function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1_000 ** step
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`
}
