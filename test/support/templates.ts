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

/** Empty warehouse files for tests to copy. Creating a file takes 0.25 s, and opening a copy takes 0.1 s. */
export interface Templates {
  /** A working file of the sync, marked as current, so that readers do not create tables and definitions. */
  readonly synced: string
}

/** Runs once before all test files. All temporary files are in one folder, which is removed afterwards. */
export default async function (project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-tests-'))
  // PostgreSQL runs as a separate user, which must be able to enter the folder.
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
  // If the run stops at the first failure, vitest runs no teardown.
  process.once('exit', remove)
  return remove
}
