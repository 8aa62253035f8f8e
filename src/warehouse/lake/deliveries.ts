import type { Lake } from '../../config/lake.ts'
import { literal } from '../quote.ts'
import { askPostgres, lakeError, locksOf, tellPostgres } from './catalogue.ts'
import { makeOwnTables } from './own-tables.ts'

const DELIVERIES = 'faultline_deliveries'

/** What was sent from a lake, by any machine. A role that may not make tables finds it made (deploy/lake-roles.sql). */
export function deliveriesInLake(lake: Lake) {
  const inTable = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    try {
      await makeOwnTables(lake)
      return await act()
    } catch (cause) {
      throw lakeError(lake, cause)
    }
  }
  return {
    sent: (report: string) =>
      inTable(async () => {
        const rows = await askPostgres(
          await locksOf(lake),
          `select key, to_char(sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            from ${DELIVERIES} where report = ${literal(report)}`,
        )
        return new Map(rows.map(([key, sentAt]) => [String(key), String(sentAt)] as const))
      }),
    note: ({ key, report, due }: Readonly<Record<'key' | 'report' | 'due', string>>) =>
      inTable(async () =>
        tellPostgres(
          await locksOf(lake),
          `insert into ${DELIVERIES} values (${literal(key)}, ${literal(report)}, ${literal(due)}, now())
            on conflict (key) do nothing`,
        ),
      ),
  }
}
