import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT, childTable, resourceTable, versionsTable } from '../../definitions/tables.ts'
import type { Resource } from '../../resources/resource.ts'
import { ledger } from '../schema/ledger-tables.ts'

/** One table as it is to be written. */
export interface ExportTable {
  readonly table: string
  /** SQL after `select t.* ` that gives the rows, the table under the name `t`. */
  readonly from: string
  /** SQL of the time whose month a row belongs to; null for a table that is written in one piece. */
  readonly start: string | null
}

/** The part of rows without a time, in the words of partitioned data sets. */
export const NO_MONTH = '__HIVE_DEFAULT_PARTITION__'

/** The view that most questions begin with: it is exported like a table. */
const FIRST_VIEW = inOnePiece('incident_times')

/**
 * Every table of the warehouse, and the view of incidents with their times. What is read by windows of a start time is cut by its
 * month, its children with it.
 */
export function exportPlan(resources: readonly Resource[]): ExportTable[] {
  return [...resources.flatMap(planOf), FIRST_VIEW, ...ledger.map((table) => inOnePiece(table.name))]
}

/** A table or view in one piece. */
export function inOnePiece(table: string): ExportTable {
  return { table, from: `from ${quoteIdentifier(table)} t`, start: null }
}

/**
 * The same for some accounts, of an exporter that is narrowed to them: of figures of reports only those that speak of them alone.
 * @param accounts their names, as reports give them
 */
export function ofAccounts(plan: ExportTable, accounts: readonly string[]): ExportTable {
  if (plan.table !== 'report_runs') return plan
  const scopes = [...accounts, accounts.join(', ')].map(quoteLiteral)
  return { ...plan, from: `${plan.from} where t.account in (${scopes.join(', ')})` }
}

/** Tables and definitions that are narrowed to accounts, or hold nothing of them. */
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

/** SQL of the months a table has rows in, such as `2026-03`, in order; NULL for rows without a time. */
export function monthsOf({ from, start }: ExportTable): string {
  return `select distinct strftime(${start}, '%Y-%m') as month ${from} order by month nulls last`
}

/** SQL of a condition for the rows of one month. */
export function inMonth({ start }: ExportTable, month: string | null): string {
  if (month === null) return `${start} is null`
  const first = `${quoteLiteral(`${month}-01 00:00:00+00`)}::timestamptz`
  return `${start} >= ${first} and ${start} < ${first} + interval 1 month`
}
