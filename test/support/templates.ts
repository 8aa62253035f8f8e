import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { TestProject } from 'vitest/node'
import { defaultSettings } from '../../src/config/settings.ts'
import { resources } from '../../src/resources/index.ts'
import { createTables as createSynced } from '../../src/warehouse/schema/create.ts'
import { applyViews } from '../../src/warehouse/schema/views.ts'
import { createTables } from './tables.ts'

declare module 'vitest' {
  interface ProvidedContext {
    templates: Templates
  }
}

/** Warehouse files without rows, to be copied: making one costs a quarter of a second of a core, opening a copy a tenth. */
export interface Templates {
  /** As the sync makes a working file. */
  readonly synced: string
  /** With the tables of `tables.ts` and the views of `sql/`. */
  readonly byHand: string
}

/** Makes the templates once, before the first test file. */
export default async function (project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-templates-'))
  const templates = { synced: join(folder, 'synced.duckdb'), byHand: join(folder, 'by-hand.duckdb') }

  const instance = await DuckDBInstance.create(templates.synced)
  const synced = await instance.connect()
  await synced.run("set TimeZone = 'UTC'")
  await createSynced(synced, resources, defaultSettings)
  await synced.run('checkpoint')
  synced.closeSync()
  instance.closeSync()

  const byHand = await createTables()
  await byHand.run(`attach '${templates.byHand}' as file`)
  await byHand.run('copy from database memory to file')
  await byHand.run('use file')
  await applyViews(byHand)
  await byHand.run('use memory; detach file')
  byHand.closeSync()

  project.provide('templates', templates)
  return () => rmSync(folder, { recursive: true, force: true })
}
