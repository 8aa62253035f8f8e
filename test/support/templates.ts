import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { TestProject } from 'vitest/node'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { createTables } from '../../src/warehouse/schema/create.ts'

declare module 'vitest' {
  interface ProvidedContext {
    templates: Templates
  }
}

/** Warehouse files without rows, to be copied: making one costs a quarter of a second of a core, opening a copy a tenth. */
export interface Templates {
  /** As the sync makes a working file: it says of itself that it has today's tables and definitions, which no reader need make. */
  readonly synced: string
}

/**
 * Makes the templates once, before the first test file, in the folder that is the temporary one of all tests and of what they start:
 * it is gone with them, whatever they leave in it.
 */
export default async function (project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-tests-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  const templates = { synced: join(folder, 'synced.duckdb') }

  const instance = await DuckDBInstance.create(templates.synced)
  const synced = await instance.connect()
  await synced.run("set TimeZone = 'UTC'")
  await createTables(synced, resources, defaultSettings)
  await synced.run('checkpoint')
  synced.closeSync()
  instance.closeSync()

  project.provide('templates', templates)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  // Where it ends at the first failure nothing is taken down.
  process.once('exit', remove)
  return remove
}
