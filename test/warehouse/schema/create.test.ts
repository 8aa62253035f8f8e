import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import type { Warehouse } from '../../../src/warehouse/warehouse.ts'
import { openWarehouse } from '../../support/storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-create-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Opens the working file, calls `act`, and returns the bytes of the closed file. */
async function opened(settings = defaultSettings, act?: (warehouse: Warehouse) => Promise<unknown>) {
  const path = join(folder, 'faultline.duckdb')
  const warehouse = await openWarehouse(path, resources, { accountId: 1n, settings })
  try {
    await act?.(warehouse)
    await warehouse.finish()
  } finally {
    await warehouse.close()
  }
  return readFileSync(warehouse.files.working)
}

test('opening a warehouse file with current definitions and settings does not write to the file', async () => {
  const made = await opened()
  const again = await openWarehouse(join(folder, 'faultline.duckdb'), resources, {
    accountId: 1n,
    settings: defaultSettings,
  })
  await again.close()
  expect(readFileSync(again.files.working).equals(made)).toBe(true)
  const policies = defaultSettings.policies.map((each) => ({ ...each, value: `${each.value}!` }))
  const values = (warehouse: Warehouse) =>
    sql<{ value: string }>`select distinct right(value, 1) as value from config_policies`.execute(
      warehouse.db,
    )
  await opened({ ...defaultSettings, policies }, async (warehouse) =>
    expect((await values(warehouse)).rows).toEqual([{ value: '!' }]),
  )
})

test('opening a warehouse file creates all views again if the stored definitions differ', async () => {
  for (const stamp of [null, 'of another program']) {
    await opened(defaultSettings, async ({ db }) => {
      await sql`drop view runs`.execute(db)
      await sql`update faultline_meta set value = ${stamp} where key = 'definitions'`.execute(db)
    })
    await opened(defaultSettings, ({ db }) => sql`select count(*) from runs`.execute(db))
  }
})

test('`show tables` lists tables, views and metrics, but no relations that only declare parameters', async () => {
  const expected = `
    accounts as_of assignment_outcomes automation_members channel_owners channel_versions channels
    data_quality faultline_meta faultline_migrations faultline_migrations_lock first_answers
    folder_rule_status freshness incident_automation incident_changes incident_labels incident_measures
    incident_people incident_responders incident_response incident_times incident_versions incidents
    known_since measure_spans member_roles members never_acknowledging open_incidents own_incidents
    person_assignments person_names post_mortem_authors post_mortem_incidents post_mortem_responders
    post_mortems quarantine report_runs runs schema_drift sync_accepted sync_checks sync_rows sync_runs
    sync_windows team_members teams waiting working_spans
    config_automation config_bands config_corrections config_dimensions config_events config_exclusions
    config_holidays config_measures config_on_call config_own_targets config_person_zones
    config_policies config_targets config_thresholds config_working_hours config_working_zones
    metric_acknowledgement metric_automation metric_compression metric_critical_gaps
    metric_definition_sensitivity metric_learning metric_noisy_sources metric_pages_by_band
    metric_person_load metric_recurrence metric_resolve_time metric_response_effort
    metric_response_summary metric_rhythm metric_self_heal metric_survival_summary
    metric_target_attainment metric_text_completeness metric_time_between metric_time_measures
    metric_weekly_usual_range`
  await opened(defaultSettings, async ({ db }) => {
    const { rows } = await sql<{ name: string }>`show tables`.execute(db)
    expect(rows.map(({ name }) => name)).toEqual(expected.trim().split(/\s+/).sort())
  })
})
