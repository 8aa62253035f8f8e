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

/**
 * Warehouse files without rows, which tests copy. Creating a file takes a quarter of a second of a core, and opening a
 * copy takes a tenth.
 */
export interface Templates {
  /**
   * A working file as the sync creates it. The file is marked as current, so that readers do not create tables and
   * definitions.
   */
  readonly synced: string
}

/**
 * Makes the templates once, before the first test file, in the temporary folder of all tests and their processes. The
 * folder is removed afterwards with all its remains.
 */
export default async function (project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-tests-'))
  // PostgreSQL runs as a separate user.
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
  // After a stop at the first failure, no teardown runs.
  process.once('exit', remove)
  return remove
}
