import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import type { Resource } from '../../resources/resource.ts'
import { ledger } from '../schema/ledger-tables.ts'

export interface ExportTable {
  readonly table: string
  /** The `from` clause gives the table the alias `t`. */
  readonly from: string
  /** SQL for the time that determines a row's month. Null if the export is a single file. */
  readonly start: string | null
}

/** Partition for rows without a time. Hive uses the same name. */
export const NO_MONTH = '__HIVE_DEFAULT_PARTITION__'

/**
 * Returns all tables to export, including the view `incident_times`. A table that the sync reads by time windows is
 * split by month.
 */
export function exportPlan(resources: readonly Resource[]): ExportTable[] {
  return [
    ...resources.flatMap(planOf),
    ...['incident_times', ...ledger.map(({ name }) => name)].map(inOnePiece),
  ]
}

export function inOnePiece(table: string): ExportTable {
  return { table, from: `from ${quoteIdentifier(table)} t`, start: null }
}

/** Limits the export of report figures to reports about these accounts. */
export function ofAccounts(plan: ExportTable, accounts: readonly string[]): ExportTable {
  if (plan.table !== 'report_runs') return plan
  const scopes = [...accounts, accounts.join(', ')].map(quoteLiteral)
  return { ...plan, from: `${plan.from} where t.account in (${scopes.join(', ')})` }
}

/** Whether an export of only some accounts can include a table or definition. */
export function isNarrowed(
  table: string,
  resources: readonly Resource[],
  definitions: readonly string[],
): boolean {
  return exportPlan(resources).some((plan) => plan.table === table) || definitions.includes(table)
}

function planOf(resource: Resource): ExportTable[] {
  const own = [resource.table, ...(resource.versions === undefined ? [] : [resource.versions])]
  const children = resource.children.map((child) => child.table)
  if (resource.read.kind !== 'windows') return [...own, ...children].map(inOnePiece)
  const start = quoteIdentifier(resource.read.start)
  const key = [ACCOUNT.name, ...resource.key].map(
    (column) => `p.${quoteIdentifier(column)} = t.${quoteIdentifier(column)}`,
  )
  return [
    ...own.map((table) => ({ ...inOnePiece(table), start: `t.${start}` })),
    ...children.map((table) => ({
      table,
      from: `from ${quoteIdentifier(table)} t left join ${quoteIdentifier(resource.table)} p on ${key.join(' and ')}`,
      start: `p.${start}`,
    })),
  ]
}

/** Returns a query for the months of the rows, such as `2026-03`. Rows without a time have the month NULL. */
export function monthsOf({ from, start }: ExportTable): string {
  return `select distinct strftime(${start}, '%Y-%m') as month ${from} order by month nulls last`
}

export function inMonth({ start }: ExportTable, month: string | null): string {
  if (month === null) return `${start} is null`
  const first = `${quoteLiteral(`${month}-01 00:00:00+00`)}::timestamptz`
  return `${start} >= ${first} and ${start} < ${first} + interval 1 month`
}
