// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are places of the built program, as they stand there
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyProgram, type Place } from './copied-program.ts'
import { KINDS } from './odd-kinds.ts'
import { troubles } from './plan.ts'

/** A defect that was there once, or lies near one, put back on purpose. */
export interface Defect extends Place {
  /** A seed in which a judge catches it, in so many nights. */
  readonly seed: number
  readonly nights: number
  readonly judge: string
  /** Troubles and events that its simulation leaves out; `LATER` unless given. */
  readonly without?: string
}

/** All other troubles are left out. */
const only = (...names: string[]) => troubles.filter((name) => !names.includes(name)).join(',')

export const defects: readonly Defect[] = [
  {
    what: 'the sweep begins its grid at `since`, and looks at the first month for ever',
    file: 'sync/plan.js',
    from: 'past.start - (past.start % SLOT_S)',
    to: 'past.start',
    seed: 1,
    nights: 45,
    judge: 'copy',
  },
  {
    what: 'three who leave at once are an outage',
    file: 'sync/vanished.js',
    from: 'missing > HANDFUL && missing > SMALL_SHARE * stored',
    to: 'missing > 0 && missing > SMALL_SHARE * stored',
    seed: 1,
    nights: 10,
    judge: 'recovers',
  },
  {
    what: 'totals are not compared',
    file: 'sync/proof.js',
    from: 'return short + moved + astray + foreign + stale;',
    to: 'return moved + astray + foreign + stale;',
    seed: 129,
    nights: 3,
    judge: 'around',
    without: only('lost rows'),
  },
  {
    what: 'an incident whose start was corrected is gone',
    file: 'sync/read-resource.js',
    from: 'isUnsure ? null : searchFor(context, resource, keys)',
    to: 'isUnsure ? null : new Set()',
    seed: 1,
    nights: 54,
    judge: 'copy',
  },
  {
    what: 'nobody asks for what was opened again',
    file: 'sync/plan.js',
    from: '...reopened(input, subtract(wanted, [...taken, ...swept])),',
    to: '',
    seed: 1,
    nights: 8,
    judge: 'copy',
  },
  {
    what: 'old open incidents stay open',
    file: 'sync/plan.js',
    from: "...byIds(input, 'still-open', input.stillOpen, until, taken),",
    to: '',
    seed: 1,
    nights: 11,
    judge: 'copy',
  },
  {
    what: 'a team that owns no channel is not looked at',
    file: 'sync/state.js',
    from: 'where account_id = ${context.accountId} and vanished_at is null\n    )',
    to: 'where false\n    )',
    seed: 1,
    nights: 11,
    judge: 'around',
  },
  {
    what: 'a change that updated_at does not tell is not stored',
    file: 'warehouse/load/upsert.js',
    from: '(s._hash is distinct from t._hash or t.vanished_at is not null)',
    to: '(s._hash is distinct from t._hash and ${updated ? sql`${sql.ref(`s.${updated}`)} is distinct from ${sql.ref(`t.${updated}`)}` : sql`true`} or t.vanished_at is not null)',
    seed: 1,
    nights: 15,
    judge: 'copy',
  },
  {
    what: 'former contents are kept of every second change only',
    file: 'warehouse/load/upsert.js',
    from: ".where('rowid', 'in', replaced);\n        await db",
    to: ".where('rowid', 'in', replaced).where(sql`hash(_seen_at) % 2 = 0`);\n        await db",
    seed: 1,
    nights: 3,
    judge: 'versions',
  },
  {
    what: 'responders of a former content stay',
    file: 'warehouse/load/upsert.js',
    from: ".where(`${STORED}.is_changed`, '=', true)",
    to: ".where(`${STORED}.is_changed`, '=', false)",
    seed: 1,
    nights: 2,
    judge: 'copy',
  },
  {
    what: 'times ahead of the service are believed',
    file: 'sync/slice.js',
    from: 'CLOCK_TOLERANCE_S = 600',
    to: 'CLOCK_TOLERANCE_S = 6e9',
    seed: 23,
    nights: 8,
    judge: 'copy',
  },
  {
    what: 'this machine says what time it is',
    file: 'sync/probe.js',
    from: 'const now = Math.floor((serviceTime ?? effects.now()) / 1_000)',
    to: 'const now = Math.floor(effects.now() / 1_000)',
    seed: 5,
    nights: 3,
    judge: 'ledger',
  },
  {
    what: 'a run with unproven windows is green',
    file: 'sync/slice-runs.js',
    from: "slices.some(({ outcome }) => outcome === 'unproven')",
    to: 'false',
    seed: 21,
    nights: 4,
    judge: 'ledger',
  },
  {
    what: 'a run with new records in quarantine is green',
    file: 'sync/slice-runs.js',
    from: 'return quarantined > 0 ||',
    to: 'return',
    seed: 23,
    nights: 8,
    judge: 'ledger',
  },
  {
    what: 'post-mortems, channels and teams that stored rows name are not read',
    file: 'sync/state.js',
    from: "and ${source}::varchar not in ('', '0')",
    to: 'and false',
    seed: 1,
    nights: 1,
    judge: 'around',
  },
  {
    what: 'an incident that is open when it leaves the history stays open',
    file: 'sync/plan.js',
    from: 'record.start < until &&',
    to: "record.start < until && (reason !== 'still-open' || record.start >= input.since) &&",
    seed: 1,
    nights: 3,
    judge: 'copy',
    without: '',
  },
  {
    what: 'the log of another client stays beside the published file',
    file: 'warehouse/file/logs.js',
    from: 'if (logs.length === 0)\n        return undefined;\n    makeFolder(files);',
    to: 'return undefined;',
    seed: 91,
    nights: 4,
    judge: 'copy',
    without: only('another client writes'),
  },
  {
    what: 'a batch condemns its ids',
    file: 'sync/refused-ids.js',
    from: 'refusal.code === NOT_FOUND && ids.length === 1',
    to: 'refusal.code === NOT_FOUND',
    seed: 42,
    nights: 4,
    judge: 'around',
    without: only('a batch with a deleted team'),
  },
  {
    what: 'a search that ends at a round thousand is complete',
    file: 'sync/read-windows.js',
    from: '(isRound || cursor !== null)',
    to: 'cursor !== null',
    seed: 57,
    nights: 3,
    judge: 'copy',
    without: only('a capped search'),
  },
  {
    what: 'a rule of privacy changes what is stored, and not what is read',
    file: 'sync/validate-records.js',
    from: 'scrub?.record(record);',
    to: ';',
    seed: 57,
    nights: 4,
    judge: 'secrets',
  },
  {
    what: 'the working file keeps what a rule of privacy removed in freed blocks',
    file: 'warehouse/file/rewrite.js',
    from: "await connection.run('copy from database former to fresh');",
    to: "await connection.run('copy from database former to fresh'); (await import('node:fs')).copyFileSync(file, `${changed}.aside`);",
    seed: 57,
    nights: 4,
    judge: 'secrets',
  },
  {
    what: 'a run that did not read everything is published',
    file: 'sync/sync-accounts.js',
    from: 'if (summary.complete)',
    to: 'if (summary)',
    seed: 32,
    nights: 3,
    judge: 'copy',
  },
  {
    what: 'the newest run is the one whose machine had the latest clock',
    file: '../sql/service/as-of.sql',
    from: 'partition by account_id order by run_id desc',
    to: 'partition by account_id order by finished_at desc, run_id desc',
    seed: 1,
    nights: 15,
    judge: 'delivered',
  },
  {
    what: 'what was sent is not noted',
    file: 'bin/parts/',
    from: 'await noteSent([call.key], made.name, options);',
    to: '',
    seed: 1,
    nights: 6,
    judge: 'delivered',
  },
  {
    what: 'which run a report was of is known by the clocks of two machines',
    file: '../reports/frame/restated-why.sql',
    from: 'max(run_id) filter (as_of_at = $as_of),',
    to: '',
    seed: 2,
    nights: 11,
    judge: 'restated',
  },
  {
    what: 'a process keeps no limits',
    file: 'bin/parts/',
    from: 'rate.kind === "inProcess" ? rate.limits : []',
    to: '[]',
    seed: 1,
    nights: 6,
    judge: 'limits',
  },
  {
    what: 'connections to the service stay open',
    file: 'client/transport.js',
    from: 'close: () => dispatcher.destroy(),',
    to: 'close: async () => {},',
    seed: 1,
    nights: 60,
    judge: 'growth',
  },
  {
    what: 'a service that fails is told without what to do',
    file: 'client/failure.js',
    from: "return 'The service failed: run it again later, and quote the request id if it goes on.';",
    to: 'return undefined;',
    seed: 2,
    nights: 5,
    judge: 'words',
  },
]

/** What was thought of when their seeds were known already. */
export const LATER = [
  ...['no room', 'outage of days', 'teams merged', 'backup of an older version put back', 'shorter history'],
  ...[
    'left open',
    'left open and closed',
    'left open and edited',
    'left open and deleted',
    'post-mortem deleted',
  ],
  ...['another client writes', 'another client has it open', ...Object.keys(KINDS)],
].join(',')

/**
 * Simulates with a defect put back into a copy of the built program.
 * @returns what `main.js` prints of it
 */
export async function simulateWith(defect: Defect, args: readonly string[]): Promise<string> {
  const { folder, remove } = copyProgram([defect])
  try {
    const main = join(folder, 'dist/simulation/main.js')
    const ran = await promisify(execFile)(process.execPath, [main, '--no-shrink', ...args], {
      maxBuffer: 1e8,
    }).catch((error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? '',
    }))
    return ran.stdout + ran.stderr
  } finally {
    remove()
  }
}
