import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { onDatabase } from '../../src/definitions/duckdb.ts'
import { resources } from '../../src/resources/index.ts'
import type { SyncResult } from '../../src/sync/sync-accounts.ts'
import { accountFiles, warehouseFiles } from '../../src/warehouse/file/files.ts'
import { restorePublished } from '../../src/warehouse/file/repair-file.ts'
import { verifyFile } from '../../src/warehouse/file/verify-file.ts'
import { forever, standingTime } from '../support/clock.ts'
import { contentOf } from '../support/content.ts'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { sync } from '../support/storage.ts'
import { scratch } from '../support/warehouse.ts'

/** Each test begins with a copy of the files after two nightly syncs. */
const NIGHT = epoch + 60 * DAY
const folder = scratch()
const origin = join(folder, 'origin')
let path = ''
let notices: string[] = []
let count = 0

function company(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 400 }, (_, index) =>
    incident(index * 3, { description: `something long enough to fill blocks ${'x'.repeat(index)}` }),
  )
  const client = {
    ...service.client,
    call: async () => ({
      data: { items: [{ account_id: 1 }] },
      requestId: 'r',
      bytes: 0,
      serviceTime: null,
    }),
  }
  return { ...service, client: client as never }
}

const service = company()

function night(nights: number): Promise<SyncResult> {
  const now = NIGHT + nights * DAY
  return sync({
    client: service.client,
    path,
    resources,
    known: resources,
    scope: () => ({ now, since: epoch, lookbackDays: 31, windowSeconds: 31 * DAY, full: false }),
    effects: standingTime(now * 1_000, forever),
    concurrency: 4,
    version: '1.2.3',
    signal: new AbortController().signal,
    onNotice: (sentence) => notices.push(sentence),
  })
}

const files = () => ({ ...warehouseFiles(path), ...accountFiles(warehouseFiles(path), 1n) })
const rows = (file: string, query: string) =>
  onDatabase(file, { access_mode: 'READ_ONLY' }, async (connection) =>
    (await connection.runAndReadAll(query)).getRows(),
  )
const incidentsIn = async (file: string) =>
  Number((await rows(file, 'select count(*) from incidents'))[0]![0])

/** Flips one bit at this relative position in the file. The block there may be unused. */
function flip(file: string, share: number) {
  const bytes = readFileSync(file)
  flipAt(file, Math.floor(bytes.length * share))
}

/** Flips one bit of the incidents. Blocks of 256 KB follow three headers of 4 KB. Each begins with an 8-byte checksum. */
async function flipIncidents(file: string) {
  const [found] = await rows(
    file,
    "select block_id, block_offset from pragma_storage_info('incidents') where persistent and block_id >= 0 order by all",
  )
  const [block, offset] = found!.map(Number)
  flipAt(file, 3 * 4_096 + block! * 262_144 + 8 + offset! + 4)
}

function flipAt(file: string, at: number) {
  const bytes = readFileSync(file)
  bytes[at]! ^= 4
  writeFileSync(file, bytes)
}

beforeAll(async () => {
  path = join(origin, 'faultline.duckdb')
  mkdirSync(origin)
  await night(0)
  await night(1)
})

beforeEach(() => {
  const own = join(folder, `w${count++}`)
  cpSync(origin, own, { recursive: true })
  path = join(own, 'faultline.duckdb')
  notices = []
})

test('the verification of warehouse files accepts an undamaged published copy', async () => {
  const { published, former } = files()
  for (const file of [published, former]) await verifyFile(file)
  expect(statSync(former).mode & 0o777).toBe(0o600)
  const runs = async (file: string) => (await rows(file, 'select run_id from sync_runs order by 1')).flat()
  expect(await runs(published)).toEqual([1n, 2n])
  expect(await runs(former)).toEqual([1n])
})

test('the verification of warehouse files detects every flipped bit that changes the data for readers', async () => {
  const { published } = files()
  const good = readFileSync(published)
  const content = await contentOf(published)
  const copy = join(folder, 'flipped.duckdb')
  const flips = 24
  let noticed = 0
  for (let k = 0; k < flips; k++) {
    const bytes = Buffer.from(good)
    bytes[Math.floor(((k + 0.5) * good.length) / flips)]! ^= 1 << (k % 8)
    writeFileSync(copy, bytes)
    const isNoticed = await verifyFile(copy).catch((error) => /is damaged/.test(String(error)))
    if (isNoticed === true) noticed++
    else expect(await contentOf(copy), `flip ${k}`).toBe(content)
  }
  expect(noticed / flips).toBeGreaterThan(0.6)
})

test('the verification of warehouse files detects a warehouse with fewer rows than the ledger lists', async () => {
  const { published } = files()
  await onDatabase(published, {}, (connection) =>
    connection.run('delete from incidents where incident_id = (select max(incident_id) from incidents)'),
  )
  await expect(verifyFile(published)).rejects.toThrow(
    /incidents contains 399 rows of account 1, .* lists 400/,
  )
})

test('a sync replaces a damaged working file with the published copy and reports the damage', async () => {
  const { working, published } = files()
  const before = readFileSync(published)
  for (const share of [0.3, 0.5, 0.7]) flip(working, share)
  const result = await night(2)
  expect(result).toMatchObject({ status: 'ok', published: true })
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatch(/was damaged\. The sync starts from the published copy/)
  await verifyFile(published)
  expect(readFileSync(published).equals(before)).toBe(false)
  expect(await incidentsIn(published)).toBe(400)
  expect(existsSync(`${working}.aside`)).toBe(true)
})

test('a sync reads everything again if the working file is damaged and no published copy exists', async () => {
  const { working, published, former, folder: own } = files()
  for (const file of [published, former, join(own, 'generation.json')]) rmSync(file, { force: true })
  await flipIncidents(working)
  expect(await night(2)).toMatchObject({ status: 'ok', inserted: 400, published: true })
  expect(notices).toHaveLength(1)
})

test('a sync replays no rows of a damaged write-ahead log, not even those before the damage', async () => {
  const { working, log, published } = files()
  let first = 0
  await onDatabase(working, { checkpoint_threshold: '1GB' }, async (connection) => {
    await connection.run('pragma disable_checkpoint_on_shutdown')
    await connection.run(`insert into faultline_meta values ('batch 1', 'stored')`)
    first = statSync(log).size
    await connection.run(`insert into faultline_meta values ('batch 2', 'stored, but for a byte')`)
  })
  const bytes = readFileSync(log)
  bytes[Math.floor((first + bytes.length) / 2)]! ^= 4
  writeFileSync(log, bytes)
  expect(await night(2)).toMatchObject({ status: 'ok', published: true })
  expect(notices.join()).toMatch(/The log .* was damaged/)
  expect(await rows(published, `select key from faultline_meta where key like 'batch%'`)).toEqual([])
  expect(readFileSync(`${log}.aside`).equals(bytes)).toBe(true)
})

test('`sync` and `restore` never keep a damaged warehouse as the previous copy', async () => {
  const { published, former } = files()
  await flipIncidents(published)
  const result = await night(2)
  expect(result).toMatchObject({ status: 'ok', published: true })
  expect(notices.join()).toMatch(/was damaged\. The previous copy replaces it/)
  expect(await incidentsIn(published)).toBe(400)
  for (const file of [published, former]) await verifyFile(file)
  await flipIncidents(published)
  const good = readFileSync(former)
  await restorePublished(warehouseFiles(path))
  expect(readFileSync(published).equals(good)).toBe(true)
  expect(readFileSync(former).equals(good)).toBe(true)
})

test('a sync replaces a published copy that cannot be opened', async () => {
  const { published } = files()
  writeFileSync(published, 'no database at all')
  expect(await night(2)).toMatchObject({ status: 'ok', published: true })
  expect(notices.join()).toMatch(/was damaged\. The previous copy replaces it/)
  expect(await incidentsIn(published)).toBe(400)
})

test('a sync fails with advice to restore a backup if all copies of the warehouse are damaged', async () => {
  const { published, former, working } = files()
  for (const file of [former, working]) rmSync(file)
  writeFileSync(published, 'no database at all')
  await expect(night(2)).rejects.toMatchObject({ next: expect.stringContaining('faultline restore FILE') })
})

test('a sync continues from a backup that a person copied over the warehouse', async () => {
  const { published, former, working } = files()
  copyFileSync(former, published)
  service.incidents.push(incident(1_300))
  const result = await night(2)
  service.incidents.pop()
  expect(notices.join()).toMatch(/treated as a restored backup/)
  // The restored copy does not contain the old run 2, so this run gets the number 2.
  expect(result.runId).toBe(2)
  expect(await incidentsIn(published)).toBe(401)
  expect(existsSync(`${working}.aside`)).toBe(true)
})

test('an interrupted publish or a damaged generation.json is not mistaken for a restored backup', async () => {
  const note = join(files().folder, 'generation.json')
  const [generation] = JSON.parse(readFileSync(note, 'utf8')) as string[]
  for (const [turn, text] of [JSON.stringify([generation, 'never renamed']), '["an'].entries()) {
    writeFileSync(note, text)
    expect(await night(2 + turn)).toMatchObject({ status: 'ok', published: true })
    expect([text, notices]).toEqual([text, []])
  }
})

test('`restore` swaps the published copy and the previous copy of the warehouse', async () => {
  const { published } = files()
  const second = readFileSync(published)
  await restorePublished(warehouseFiles(path))
  expect((await rows(published, 'select max(run_id) from sync_runs'))[0]).toEqual([1n])
  await restorePublished(warehouseFiles(path))
  expect(readFileSync(published).equals(second)).toBe(true)
  await restorePublished(warehouseFiles(path))
  const result = await night(3)
  expect(result).toMatchObject({ status: 'ok', runId: 2, published: true })
  expect(notices).toEqual([])
})

test('`restore` rejects a backup that is damaged or not a warehouse', async () => {
  const { published } = files()
  const backup = join(folder, 'backup.duckdb')
  copyFileSync(published, backup)
  await restorePublished(warehouseFiles(path), backup)
  expect(await incidentsIn(published)).toBe(400)
  await flipIncidents(backup)
  await expect(restorePublished(warehouseFiles(path), backup)).rejects.toThrow(/is damaged/)
  const other = join(folder, 'other.duckdb')
  await onDatabase(other, {}, (connection) => connection.run('create table t as select 1 as x'))
  await expect(restorePublished(warehouseFiles(path), other)).rejects.toThrow(/is not a Faultline warehouse/)
  await expect(restorePublished(warehouseFiles(path), join(folder, 'none'))).rejects.toThrow(/File not found/)
  expect(await incidentsIn(published)).toBe(400)
})

test('a sync leaves no temporary files in the sync folder', async () => {
  await night(2)
  expect(readdirSync(files().folder).sort()).toEqual([
    '1.duckdb',
    '1.lock',
    'former.duckdb',
    'generation.json',
    'publish.lock',
  ])
})
