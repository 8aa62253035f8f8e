import { z } from 'zod'
import { allReports } from '../../report/report-catalog.ts'
import { frameSql } from '../../report/scope/frame-sql.ts'
import { accountsIn, dimensionsIn, teamsIn, valuesIn } from '../../report/scope/report-filters.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { type Answer, asking, type Call, type Tool, type ToolContext } from '../tool.ts'
import { dataCell, wrapUntrusted } from '../untrusted-text.ts'
import { metricsKnown } from './available-metrics.ts'
import { questionsOfSql } from './relations.ts'

const kinds = ['metrics', 'reports', 'teams', 'dimensions', 'accounts', 'events', 'sql'] as const
type Kind = (typeof kinds)[number]

const VALUES_MOST = 100

/** @param isMetricsOnly omits the kind `sql` */
export function listTool(isMetricsOnly: boolean) {
  const known = kinds.filter((kind) => !isMetricsOnly || kind !== 'sql')
  const input = z.strictObject({
    kind: z
      .enum(known as [Kind, ...Kind[]])
      .default('metrics')
      .describe('What to list. Default: questions, each with the metric that answers it.'),
  })
  const tool: Tool<typeof input> = {
    name: 'list',
    title: 'Available questions',
    description:
      'Lists questions, each with the metric of `figure` that answers it. Start here. With `kind`: reports, or the teams, dimensions, accounts and events to use in other tools' +
      `${isMetricsOnly ? '' : ', or questions that `sql` answers'}.`,
    input,
    answer: (call, { kind }) => asking(call, async (session) => listed(kind, call, session)),
  }
  return tool
}

async function listed(kind: Kind, { ground }: Call, session: Session): Promise<Answer> {
  return { kind, rows: await lists[kind](session, ground) }
}

const lists: Readonly<Record<Kind, (session: Session, ground: ToolContext) => Promise<readonly unknown[]>>> =
  {
    metrics: async (session, ground) =>
      (await metricsKnown(ground, session)).map(({ name, label, question = label }) => ({
        question,
        metric: name,
      })),
    reports: async (_, { reports }) =>
      allReports(reports)
        .filter(({ problem }) => problem === null)
        .map(({ name, title, description }) => ({ report: name, title, description })),
    teams: async (session) => [...new Set((await teamsIn(session)).map(({ name }) => wrapUntrusted(name)))],
    async dimensions(session) {
      const names = await dimensionsIn(session)
      return Promise.all(
        names.map(async (name) => ({
          dimension: name,
          values: (await valuesIn(session, name)).slice(0, VALUES_MOST).map((one) => wrapUntrusted(one)),
        })),
      )
    },
    accounts: async (session) => (await accountsIn(session)).map(({ name }) => wrapUntrusted(name)),
    events: async (session) =>
      objectsOf(await session.query(frameSql('events'))).map(({ name, day, team_names: teams }) => ({
        event: wrapUntrusted(String(name)),
        day,
        teams: dataCell(teams ?? null),
      })),
    sql: (_, { settings }) => questionsOfSql(settings),
  }
