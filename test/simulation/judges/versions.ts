import { differencesOf } from '../../support/truth.ts'
import { type Judge, Memory, type Row, type Seen } from '../judge.ts'

interface Kept {
  readonly versions: ReadonlySet<string>
  /** The hash of the current content of each incident. */
  readonly contents: ReadonlyMap<string, string>
}

const ID = "incident_id || ' ' || _hash || ' ' || epoch_us(_seen_at)"

export function versions(): Judge {
  const memory = new Memory<Kept>()
  return {
    name: 'versions',
    promise: 'versions only grow, match what was served, and explain each change of what is published',
    async look(seen) {
      const { rows } = seen
      const before = memory.before(seen) ?? {
        versions: new Set<string>(),
        contents: new Map<string, string>(),
      }
      const ids = await rows(`select ${ID} as id from incident_versions`)
      const now = new Set(ids.map(({ id }) => id as string))
      const present = await rows('select incident_id as id, _hash::varchar as content from incidents')
      const contents = new Map(present.map(({ id, content }) => [id as string, content as string]))
      memory.keep(seen, { versions: now, contents })
      return [
        ...[...before.versions].filter((id) => !now.has(id)).map((id) => `a former content is gone: ${id}`),
        ...unexplained(before.contents, contents, now),
        ...(await neverServed(
          seen,
          [...now].filter((id) => !before.versions.has(id)),
        )),
      ]
    },
  }
}

async function neverServed({ rows, company }: Seen, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const added = await rows(
    `select * from incident_versions where ${ID} in (${ids.map((id) => `'${id}'`).join(', ')})`,
  )
  return added.flatMap((row) => {
    const id = row.incident_id as string
    return wasServed(row, company.incidents.between(id, 0, Number.POSITIVE_INFINITY))
      ? []
      : [`a former content of ${id} was never served`]
  })
}

/**
 * Returns messages about incidents whose content changed and whose earlier content is not among the stored versions.
 */
function unexplained(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  kept: ReadonlySet<string>,
) {
  const former = new Set([...kept].map((id) => id.split(' ').slice(0, 2).join(' ')))
  return [...before].flatMap(([id, content]) =>
    now.get(id) === content || former.has(`${id} ${content}`)
      ? []
      : `${id} changed, and what it was is not kept`,
  )
}

/** Compares without responders, because stored versions do not contain them. */
function wasServed(row: Row, versions: readonly { readonly record: object | null }[]): boolean {
  return versions.some(
    ({ record }) =>
      record !== null &&
      differencesOf({ ...record, responders: [] }, { ...row, responders: [] }).length === 0,
  )
}
