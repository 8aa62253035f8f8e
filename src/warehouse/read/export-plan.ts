import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT, childTable, resourceTable, versionsTable } from '../../definitions/tables.ts'
import type { Resource } from '../../resources/resource.ts'
import { ledger } from '../schema/ledger-tables.ts'

export interface ExportTable {
  readonly table: string
  /** SQL after `select t.* `, which returns the rows. The table is called `t`. */
  readonly from: string
  /** SQL of the time that determines a row's month, or null for a table that is exported to one file. */
  readonly start: string | null
}

/** The partition of rows without a time, as Hive names it. */
export const NO_MONTH = '__HIVE_DEFAULT_PARTITION__'

/** The view from which most analyses start. It is exported like a table. */
const FIRST_VIEW = inOnePiece('incident_times')

/** Returns every table of the warehouse, and `incident_times`. Windowed resources are split by month. */
export function exportPlan(resources: readonly Resource[]): ExportTable[] {
  return [...resources.flatMap(planOf), FIRST_VIEW, ...ledger.map((table) => inOnePiece(table.name))]
}

/** A table or view in one file. */
export function inOnePiece(table: string): ExportTable {
  return { table, from: `from ${quoteIdentifier(table)} t`, start: null }
}

/** Limits an export to some accounts. Report figures are only included if they are about these accounts alone. */
export function ofAccounts(plan: ExportTable, accounts: readonly string[]): ExportTable {
  if (plan.table !== 'report_runs') return plan
  const scopes = [...accounts, accounts.join(', ')].map(quoteLiteral)
  return { ...plan, from: `${plan.from} where t.account in (${scopes.join(', ')})` }
}

/** Whether a table or definition is limited to accounts, or contains no data of accounts. */
export function isNarrowed(
  table: string,
  resources: readonly Resource[],
  definitions: readonly string[],
): boolean {
  return exportPlan(resources).some((plan) => plan.table === table) || definitions.includes(table)
}

function planOf(resource: Resource): ExportTable[] {
  const versions = versionsTable(resource)
  const own = [resourceTable(resource), ...(versions ? [versions] : [])].map((table) =>
    inOnePiece(table.name),
  )
  const children = resource.children.map((child) => childTable(resource, child).name)
  if (resource.read.kind !== 'windows') return [...own, ...children.map(inOnePiece)]
  const start = quoteIdentifier(resource.read.start)
  const key = [ACCOUNT.name, ...resource.key].map(
    (column) => `p.${quoteIdentifier(column)} = t.${quoteIdentifier(column)}`,
  )
  return [
    ...own.map((table) => ({ ...table, start: `t.${start}` })),
    ...children.map((table) => ({
      table,
      from: `from ${quoteIdentifier(table)} t left join ${quoteIdentifier(resource.table)} p on ${key.join(' and ')}`,
      start: `p.${start}`,
    })),
  ]
}

/** Returns SQL for the months with rows, such as `2026-03`, in order; NULL for rows without a time. */
export function monthsOf({ from, start }: ExportTable): string {
  return `select distinct strftime(${start}, '%Y-%m') as month ${from} order by month nulls last`
}

export function inMonth({ start }: ExportTable, month: string | null): string {
  if (month === null) return `${start} is null`
  const first = `${quoteLiteral(`${month}-01 00:00:00+00`)}::timestamptz`
  return `${start} >= ${first} and ${start} < ${first} + interval 1 month`
}
