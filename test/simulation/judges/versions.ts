import type { Judge, Row } from '../judge.ts'

/** What an incident was before is kept: former contents only grow, and each was once what the service served. */
export function versions(): Judge {
  let before = new Map<string, Row>()
  let contents = new Map<string, string>()
  return {
    name: 'versions',
    promise: 'versions only grow, match what was served, and explain each change of what is published',
    async look({ rows, company, isRewritten }) {
      const kept = await rows(`
        select incident_id || ' ' || _hash || ' ' || epoch_us(_seen_at) as id, incident_id, progress,
          incident_severity, epoch(start_time)::bigint as start, epoch(close_time)::bigint as close,
          root_cause, _replaced_at from incident_versions`)
      const now = new Map(kept.map((row) => [row.id as string, row]))
      const present = await rows('select incident_id as id, _hash::varchar as content from incidents')
      const contentOf = new Map(present.map(({ id, content }) => [id as string, content as string]))
      const problems = isRewritten
        ? []
        : [
            ...[...before.keys()].filter((id) => !now.has(id)).map((id) => `a former content is gone: ${id}`),
            ...unexplained(contents, contentOf, kept),
          ]
      for (const row of kept)
        if (
          !before.has(row.id as string) &&
          !wasServed(row, [
            ...company.incidents.between(row.incident_id as string, 0, Number.POSITIVE_INFINITY),
          ])
        )
          problems.push(`a former content of ${row.incident_id} was never served`)
      before = now
      contents = contentOf
      return problems
    },
  }
}

/** Incidents whose content changed although none of their former contents is the one that was published before. */
function unexplained(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  kept: readonly Row[],
) {
  const former = new Set(kept.map(({ id }) => (id as string).split(' ').slice(0, 2).join(' ')))
  return [...before].flatMap(([id, content]) =>
    now.get(id) === content || former.has(`${id} ${content}`)
      ? []
      : `${id} changed, and what it was is not kept`,
  )
}

function wasServed(row: Row, versions: readonly { record: { [field: string]: unknown } | null }[]): boolean {
  const close = (value: unknown) => (value === 0 ? null : Number(value))
  return versions.some(
    ({ record }) =>
      record !== null &&
      record.progress === row.progress &&
      record.incident_severity === row.incident_severity &&
      record.root_cause === row.root_cause &&
      Number(record.start_time) === Number(row.start) &&
      close(record.close_time) === (row.close === null ? null : Number(row.close)),
  )
}
