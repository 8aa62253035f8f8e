// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of the built program
import type { Defect } from './put-back.ts'

/** One defect for each of six judges. */
export const defects: readonly Defect[] = [
  {
    what: 'only every second change of an incident stores a version',
    file: 'warehouse/load/upsert.js',
    from: ".where('rowid', 'in', replaced);\n        await db",
    to: ".where('rowid', 'in', replaced).where(sql`hash(_seen_at) % 2 = 0`);\n        await db",
    seed: 1,
    nights: 3,
    judge: 'versions',
  },
  {
    what: 'responders of replaced incident records remain',
    file: 'warehouse/load/upsert.js',
    from: ".where(`${STORED}.is_changed`, '=', true)",
    to: ".where(`${STORED}.is_changed`, '=', false)",
    seed: 1,
    nights: 2,
    judge: 'copy',
  },
  {
    what: 'the clock of this machine replaces the service’s clock',
    file: 'sync/probe.js',
    from: 'const now = Math.floor((serviceTime ?? effects.now()) / 1_000)',
    to: 'const now = Math.floor(effects.now() / 1_000)',
    seed: 5,
    nights: 3,
    judge: 'ledger',
  },
  {
    what: 'post-mortems, channels and teams that stored rows refer to are not read',
    file: 'sync/state.js',
    from: "and ${source}::varchar not in ('', '0')",
    to: 'and false',
    seed: 1,
    nights: 1,
    judge: 'around',
  },
  {
    what: 'a new privacy rule applies to stored data, but not to data read later',
    file: 'sync/validate-records.js',
    from: 'scrub?.record(record);',
    to: ';',
    seed: 57,
    nights: 4,
    judge: 'secrets',
  },
  {
    what: 'sent report messages are not recorded',
    file: 'bin/parts/',
    from: 'await recordSent([call.key], made.name, options);',
    to: '',
    seed: 1,
    nights: 6,
    judge: 'delivered',
  },
]
