import { fileURLToPath } from 'node:url'
import { ConfigError } from '../errors.ts'
import { inPackage } from '../package-path.ts'
import { runReport } from '../page/run-report.ts'
import { ALONE } from '../render/table-html.ts'
import { toHtml } from '../render/to-html.ts'
import { narrowTo } from '../warehouse/read/account-filter.ts'
import { addressOf } from './filter.ts'
import { openFor, type Source } from './incident-snapshot.ts'
import { type Asked, keysSql } from './statements.ts'

const REPORT = fileURLToPath(inPackage('reports/explore/change.md'))
const LIMIT_MS = 120_000

/** @throws ConfigError if the filter selects a person, or if the period has no previous period */
export async function changePage(source: Source, asked: Asked, zone: string): Promise<string> {
  const { filter, days } = asked
  if (filter.person !== null)
    throw new ConfigError('Changes are not shown for individuals.', { next: 'Remove `person`.' })
  if (!days.isComparable)
    throw new ConfigError(`The period "${filter.period}" has no previous period to compare with.`, {
      next: 'Choose a period.',
    })
  const { reader, close } = await openFor(LIMIT_MS, source)
  try {
    const sessions = {
      async session() {
        const session = await reader.session()
        const { sql, parameters } = keysSql(asked, zone)
        await session.keep('selected incidents', sql, { parameters })
        await narrowTo(session, 'incidents', 'selected incidents', ['account_id', 'incident_id'])
        return session
      },
    }
    const result = await runReport(REPORT, sessions, {
      ...{ period: filter.period, timezone: zone, lists: false },
    })
    const words = wordsOf(asked)
    const frame = words === '' ? result.frame : { ...result.frame, dimensions: words }
    const all = { href: addressOf(filter), text: '‹ Explore' }
    return toHtml({ ...result, frame }, { ...ALONE, site: { all, previous: null, next: null, teams: null } })
  } finally {
    close()
  }
}

function wordsOf({ filter, facets }: Asked): string {
  const chosen = facets.flatMap(({ name, label, words }) => {
    const values = filter.chosen.get(name)
    return values === undefined ? [] : `${label}: ${values.map(words).join(', ')}`
  })
  return [...chosen, ...(filter.title === '' ? [] : [`Title: ${filter.title}`])].join('; ')
}
