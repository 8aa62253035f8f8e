import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect, inject, test } from 'vitest'
import { lastShift, noteShift } from '../../../src/delivery/shifts.ts'
import { silent } from '../../../src/effects.ts'
import type { ReportResult } from '../../../src/render/result.ts'
import { frameSql } from '../../../src/report/scope/frame-sql.ts'
import { type ShiftEnd, shiftBounds } from '../../../src/report/scope/shift.ts'
import { objects } from '../../support/truth.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 1) / 1_000
const DAYS = 365
/** Incidents listed later may still wait for a handover. */
const END = START + DAYS * DAY - DAY
const ACCOUNTS = [7, 8]

/** An incident an hour in each account. Every seventh is listed a day late, every 29th two days. */
const YEAR = `create table year as
  select account_id, account_id || '/' || hour as incident_id, to_timestamp(${START} + hour * ${HOUR} + 600) as start_time,
    start_time + to_days(case when hour % 29 = 0 then 2 when hour % 7 = 0 then 1 else 0 end) as listed_at
  from range(${DAYS * 24}) as _(hour), (values (7), (8)) as _(account_id)`

const TABLES = `
  create table incidents (account_id bigint, incident_id varchar, start_time timestamptz, _run_id bigint);
  create view incident_versions as from incidents limit 0;
  create table sync_runs (account_id bigint, run_id bigint, as_of_at timestamptz);
  create table shown (incident_id varchar, is_late boolean)`

/** A company whose accounts sync separately, and its handovers. */
class Company {
  readonly #known = new Map<string, string>()
  readonly #ledger = {
    sent: async () => this.#known,
    note: async ({ key }: { key: string }) => void this.#known.set(key, new Date(0).toISOString()),
  }
  #runs = 0
  handovers = 0

  private constructor(readonly connection: DuckDBConnection) {}

  static async open(): Promise<Company> {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
    await connection.run("set timezone = 'UTC'")
    await connection.run(YEAR)
    await connection.run(TABLES)
    return new Company(connection)
  }

  async sync(account: number, at: number): Promise<void> {
    const run = ++this.#runs
    await this.connection.run(
      `insert into incidents select account_id, incident_id, start_time, ${run} from year
        where account_id = ${account} and listed_at <= to_timestamp(${at})
          and listed_at > coalesce((select max(as_of_at) from sync_runs where account_id = ${account}), '-infinity')`,
    )
    await this.connection.run(`insert into sync_runs values (${account}, ${run}, to_timestamp(${at}))`)
  }

  /** Delivers a handover up to the oldest sync of the accounts. */
  async handOver(at: number): Promise<void> {
    const due = new Date(at * 1_000).toISOString()
    const sent = { ledger: this.#ledger, effects: { log: silent } }
    const [row] = await objects(
      this.connection,
      `select epoch_ms(min(newest)) as as_of from (select max(as_of_at) as newest from sync_runs group by account_id)`,
    )
    const asOf = new Date(Number(row!.as_of))
    const { shift_start: start, shift_runs: runs } = shiftBounds(
      await lastShift('shift', '', sent, due),
      asOf,
    )
    const list = runs === null ? 'null' : `[${runs.map((run) => `'${run}'`).join(', ')}]`
    await this.connection.run(
      `create or replace temp view scoped_incidents as
        select * exclude (_run_id) from incidents where start_time <= '${asOf.toISOString()}'`,
    )
    await this.connection.run(
      `insert into shown select incident_id, is_late from (${frameSql('shift-incidents')
        .replaceAll('$shift_start', `'${start.toISOString()}'`)
        .replaceAll('$shift_runs', list)})`,
    )
    const newest = await objects(this.connection, frameSql('newest-runs'))
    const shiftEnd: ShiftEnd = { asOf, runs: newest.map((one) => `${one.account_id}=${one.run_id}`) }
    const subject = { parameters: '', period: `shift at ${due}`, isComplete: true, due }
    await noteShift({ name: 'shift', shiftEnd } as ReportResult, { ...sent, subject, targets: {} as never })
    this.handovers++
  }
}

// Over the three years each night fails once for each account, never twice in a row.
test.each(inject('isRelease') ? [0, 1, 2] : [0])(
  'each incident of a year with failing nights is in exactly one handover (from night %i)',
  async (first) => {
    const company = await Company.open()
    const isFailing = (account: number, day: number) => day > 0 && (day + account) % 3 === first
    for (let day = 0; day < DAYS; day++) {
      const midnight = START + day * DAY
      for (const [index, account] of ACCOUNTS.entries()) {
        if (isFailing(account, day)) continue
        await company.sync(account, midnight + 2.5 * HOUR - index * HOUR)
        await company.sync(account, midnight + 8 * HOUR)
      }
      await company.handOver(midnight + 8 * HOUR)
      for (const account of ACCOUNTS) await company.sync(account, midnight + 20 * HOUR)
      await company.handOver(midnight + 20 * HOUR)
    }
    const [found] = await objects(
      company.connection,
      `with counts as (select incident_id, count(*) as n, bool_or(is_late) as is_late from shown group by all)
      select count(*)::int as incidents, count(*) filter (n = 1)::int as once, count(*) filter (n > 1)::int as twice,
        count(*) filter (n is null)::int as never, count(*) filter (is_late)::int as late
      from year left join counts using (incident_id) where listed_at <= to_timestamp(${END})`,
    )
    expect(company.handovers).toBe(2 * DAYS)
    expect(found).toMatchObject({ once: found!.incidents, twice: 0, never: 0 })
    expect(found!.late).toBeGreaterThan(2_000)
    company.connection.closeSync()
  },
  600_000,
)
