import { z } from 'zod'
import { rulesOf } from '../../definitions/rules.ts'
import type { Comparison } from '../../judge/event-verdict.ts'
import { compareEvents } from '../../page/compare-events.ts'
import { besideWords, eventScope, measureNames } from '../../page/sentences/event-sentences.ts'
import { definitionKey } from '../../report/definition-key.ts'
import { compareSql } from '../../report/parse/block-source.ts'
import { frameSql } from '../../report/scope/frame-sql.ts'
import { policiesOf } from '../../report/scope/policies.ts'
import { version } from '../../version.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { withHash } from '../receipt.ts'
import { type Answer, asking, type Tool } from '../tool.ts'
import { typed, wrapUntrusted } from '../untrusted-text.ts'

const input = z.strictObject({
  event: z
    .string()
    .min(1)
    .max(400)
    .optional()
    .describe('Name of an event, from `list` with kind events. Default: every event.'),
})

export const compareTool: Tool<typeof input> = {
  name: 'compare',
  title: 'Changes since an event',
  description:
    'Compares the weeks before and since a configured event (a deploy, a new rota) with teams that the event did not affect. It never explains causes. ' +
    'The answer is a receipt that `faultline verify` can recompute.',
  input,
  receipt: true,
  answer: (call, { event }) =>
    asking(call, async (session) => {
      const name = event === undefined ? undefined : typed(event)
      const [grounds, found] = [await groundsIn(session, name), await compareEvents(session, name)]
      return withHash({
        tool: 'compare',
        asked: name === undefined ? {} : { event: wrapUntrusted(name) },
        comparisons: found.map(comparisonOf),
        ...grounds,
        version,
      })
    }),
}

function comparisonOf(comparison: Comparison) {
  const { event, teams, beside, changes, ...rest } = comparison
  return {
    event: wrapUntrusted(event),
    ...rest,
    teams: teams?.map((one) => wrapUntrusted(one)) ?? null,
    beside: beside.map((one) => wrapUntrusted(one)),
    scope: wrapUntrusted(eventScope(comparison)),
    ...(beside.length > 0 && { also: wrapUntrusted(besideWords(comparison)) }),
    changes: changes.map(({ measure, ...change }) => ({ measure, label: measureNames[measure], ...change })),
  }
}

const RULES_OF = [
  ['event_verdicts', null],
  ['incident_times', 'time_to_ack_s'],
  ['incident_times', 'time_to_resolve_s'],
] as const

async function groundsIn(session: Session, event: string | undefined): Promise<Answer> {
  const library = new Map(session.definitions.map((file) => [file.name, file]))
  const { choices } = await policiesOf(session)
  const [known] = objectsOf(await session.query(frameSql('as-of')))
  const sql = compareSql(event)
  return {
    rule: RULES_OF.flatMap(([name, column]) => rulesOf(library, name, column, choices)),
    as_of: known?.as_of_at instanceof Date ? known.as_of_at.toISOString() : null,
    definition: await definitionKey(session, { queries: [{ name: 'compare', sql }], pieces: [] }),
    sql,
  }
}
