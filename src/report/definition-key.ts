import { createHash } from 'node:crypto'
import type { Session } from '../warehouse/reader.ts'
import { viewFiles } from '../warehouse/views.ts'
import { frameSql } from './frame-sql.ts'
import type { Report } from './parse.ts'

const frames = [
  'macros',
  'scoped-incidents',
  'scoped-open',
  'scoped-pages',
  'scoped-survival',
  'scoped-weeks',
]
const settings = ['targets', 'bands', 'holidays', 'person_zones', 'policies', 'thresholds']

/**
 * A short key of everything that says how a report's figures come about: its queries and cards, the definitions they
 * stand on, and the settings. Where two runs have different ones, a figure may differ though no data does.
 */
export async function definitionKey(session: Session, { queries, pieces }: Report): Promise<string> {
  const lists = settings.map((name) => `(select list(t order by t::varchar) from config_${name} t)::varchar`)
  const { rows } = await session.query(`select ${lists.join(', ')}`)
  const parts = [
    ...queries.map(({ name, sql }) => `${name}: ${sql}`),
    ...pieces.flatMap((piece) =>
      piece.kind === 'kpis' ? piece.cards.map((card) => JSON.stringify(card.value)) : [],
    ),
    ...frames.map(frameSql),
    ...viewFiles().map(({ body }) => body),
    ...(rows[0] ?? []).map(String),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}
