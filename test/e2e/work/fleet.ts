import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { hasLake, PASSWORD, type Postgres, startPostgres } from '../../support/lake.ts'
import { openIfThere } from '../../support/storage.ts'

const NOW = 1_767_225_600
export const ACCOUNTS = [11, 12, 13, 14]
export const INCIDENTS = 80
/** Whether this computer has the programs that the tests of this folder need. */
export const isThere = hasLake
export const environment = { FAULTLINE_LAKE_PASSWORD: PASSWORD }

/**
 * A shared lake, several machines that use it, and the services of their accounts. A machine is a set of processes with
 * a common folder. All machines share PostgreSQL and the folder of the lake's data files.
 */
export interface Fleet {
  readonly postgres: Postgres
  readonly folder: string
  readonly sandboxes: ReadonlyMap<number, Sandbox>
  /** Creates the folder of a machine, with the configuration that all machines share. */
  machine(lake: string, name: string): string
  runsOf(lake: string): Promise<readonly unknown[]>
}

/** Starts a fleet before the first test of a file. */
export function fleetOfFile(): Fleet {
  const sandboxes = new Map<number, Sandbox>()
  const fleet = { folder: mkdtempSync(join(tmpdir(), 'faultline-work-')), sandboxes } as unknown as Fleet
  beforeAll(async () => {
    if (!isThere) return
    Object.assign(fleet, { postgres: await startPostgres() })
    for (const accountId of ACCOUNTS) {
      const options = { now: NOW, incidents: INCIDENTS, limits: false, appKey: `key-of-${accountId}` }
      sandboxes.set(accountId, await startSandbox({ ...options, accountId }))
    }
  })
  afterAll(async () => {
    for (const sandbox of sandboxes.values()) await sandbox.close()
    await fleet.postgres?.stop()
    rmSync(fleet.folder, { recursive: true, force: true })
  })
  return Object.assign(fleet, {
    machine: (...given: Parameters<Fleet['machine']>) => machine(fleet, ...given),
    runsOf: (lake: string) => runsOf(fleet, lake),
  })
}

function machine({ postgres, folder, sandboxes }: Fleet, lake: string, name: string): string {
  const { warehouse, lake: fields } = postgres.config(lake)
  const place = join(folder, lake, name)
  mkdirSync(place, { recursive: true })
  const accounts = [...sandboxes].map(([id, { baseUrl, appKey }]) => {
    writeFileSync(join(place, `${id}.key`), appKey)
    return { name: `company ${id}`, baseUrl, appKeyFile: `./${id}.key` }
  })
  const config = {
    ...{ warehouse, lake: fields, accounts },
    ...{ resources: ['incidents', 'channels', 'teams', 'members'] },
  }
  writeFileSync(join(place, 'config.json'), JSON.stringify(config))
  return place
}

async function runsOf({ postgres }: Fleet, lake: string): Promise<readonly unknown[]> {
  const reader = (await openIfThere(postgres.lake(lake), { settings: defaultSettings }))!
  const { rows } = await reader.query(
    'select account_id, count(*) from runs where run_id is not null group by 1 order by 1',
  )
  reader.close()
  return rows
}
