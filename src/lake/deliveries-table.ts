import { quoteLiteral } from '../definitions/quote.ts'
import type { Lake } from '../settings/lake.ts'
import type { Deliveries } from '../warehouse/published.ts'
import { executeOnCatalog, lakeError, leasesOf, queryCatalog } from './catalog.ts'
import { makeOwnTables } from './catalog-tables.ts'

const DELIVERIES = 'faultline_deliveries'

/** Returns the ledger of deliveries, which is a table in the catalog of a lake. */
export function deliveriesInLake(lake: Lake): Deliveries {
  const inTable = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    try {
      await makeOwnTables(lake)
      return await act()
    } catch (cause) {
      throw lakeError(lake, cause)
    }
  }
  return {
    sent: (report) =>
      inTable(async () => {
        const rows = await queryCatalog(
          await leasesOf(lake),
          `select key, to_char(sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            from ${DELIVERIES} where report = ${quoteLiteral(report)}`,
        )
        return new Map(rows.map(([key, sentAt]) => [String(key), String(sentAt)] as const))
      }),
    note: ({ key, report, due }) =>
      inTable(async () =>
        executeOnCatalog(
          await leasesOf(lake),
          `insert into ${DELIVERIES} values (${quoteLiteral(key)}, ${quoteLiteral(report)}, ${quoteLiteral(due)}, now())
            on conflict (key) do nothing`,
        ),
      ),
  }
}
