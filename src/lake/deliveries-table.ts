import { quoteLiteral } from '../definitions/quote.ts'
import type { Lake } from '../settings/lake.ts'
import type { Deliveries } from '../warehouse/published.ts'
import { executeOnCatalog, queryCatalog } from './catalog.ts'
import { inCatalog } from './catalog-tables.ts'

const DELIVERIES = 'faultline_deliveries'

export function deliveriesInLake(lake: Lake): Deliveries {
  return {
    sent: (report) =>
      inCatalog(lake, async (postgres) => {
        const rows = await queryCatalog(
          postgres,
          `select key, to_char(sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            from ${DELIVERIES} where report = ${quoteLiteral(report)}`,
        )
        return new Map(rows.map(([key, sentAt]) => [String(key), String(sentAt)] as const))
      }),
    note: ({ key, report, due }) =>
      inCatalog(lake, (postgres) =>
        executeOnCatalog(
          postgres,
          `insert into ${DELIVERIES} values (${quoteLiteral(key)}, ${quoteLiteral(report)}, ${quoteLiteral(due)}, now())
            on conflict (key) do nothing`,
        ),
      ),
  }
}
