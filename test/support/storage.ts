import { publishedLake } from '../../src/lake/published-lake.ts'
import type { WarehouseLocation } from '../../src/settings/warehouse-location.ts'
import * as privacy from '../../src/sync/apply-privacy.ts'
import * as preview from '../../src/sync/preview.ts'
import * as accounts from '../../src/sync/sync-accounts.ts'
import { publishedFile } from '../../src/warehouse/file/published-file.ts'
import type { Published } from '../../src/warehouse/published.ts'
import * as exporter from '../../src/warehouse/read/exporter.ts'
import * as peek from '../../src/warehouse/read/peek.ts'
import * as reader from '../../src/warehouse/read/reader.ts'
import * as warehouse from '../../src/warehouse/warehouse.ts'

export type { Reader } from '../../src/warehouse/read/reader.ts'

/** The location of a warehouse, or its published copy. Tests name a file by its path. */
type Located = WarehouseLocation | Published

/** Like `resolveStorage`, but synchronous. */
export function publishedAt(located: Located): Published {
  if (typeof located === 'string') return publishedFile(located)
  return 'publish' in located ? located : publishedLake(located)
}

/** The functions below equal those of `src/`, but also accept the location of a warehouse. */
export const openReader = async (located: Located, options?: reader.ReaderOptions) =>
  reader.openReader(publishedAt(located), options)

export const openIfThere = (located: Located, options?: reader.ReaderOptions) =>
  reader.openIfThere(publishedAt(located), options)

export const openExporter = async (located: Located, options: Parameters<typeof exporter.openExporter>[1]) =>
  exporter.openExporter(publishedAt(located), options)

type WarehouseArguments = Parameters<typeof warehouse.openWarehouse>
type WarehouseOptions = Omit<WarehouseArguments[2], 'from'> & { readonly from?: Located }

export const openWarehouse = async (
  located: Located,
  resources: WarehouseArguments[1],
  { from, ...options }: WarehouseOptions,
) =>
  warehouse.openWarehouse(publishedAt(located), resources, {
    ...options,
    ...(from !== undefined && { from: publishedAt(from) }),
  })

export const peekWarehouse = async <Result>(
  located: Located,
  accountId: bigint,
  resources: Parameters<typeof peek.peekWarehouse>[2],
  look: Parameters<typeof peek.peekWarehouse<Result>>[3],
) => peek.peekWarehouse(publishedAt(located), accountId, resources, look)

export const openUnderRules = (
  located: Located,
  known: Parameters<typeof privacy.openUnderRules>[1],
  options: Parameters<typeof privacy.openUnderRules>[2],
) => privacy.openUnderRules(publishedAt(located), known, options)

/** Options of a sync that name the warehouse by its location. */
type At<Options> = Omit<Options, 'published'> & { readonly path: Located }

export type SyncOptions = At<accounts.SyncOptions>

export const sync = ({ path, ...options }: SyncOptions) =>
  accounts.sync({ ...options, published: publishedAt(path) })

export const syncAccounts = ({ path, ...options }: At<Parameters<typeof accounts.syncAccounts>[0]>) =>
  accounts.syncAccounts({ ...options, published: publishedAt(path) })

export const previewSync = ({ path, ...options }: At<preview.PreviewOptions>) =>
  preview.previewSync({ ...options, published: publishedAt(path) })
