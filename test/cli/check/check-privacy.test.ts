import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkPrivacy } from '../../../src/cli/check/check-privacy.ts'
import { resources } from '../../../src/resources/index.ts'
import { twinsOf } from '../../../src/resources/privacy/duplicate-columns.ts'
import { openReader } from '../../support/storage.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

const out = scratch()
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(async (connection) => {
    await settleCompany(connection)
    await connection.run(
      `update incidents set owner = '{"person_id": 7, "person_name": "Ada"}' where num like '%1'`,
    )
    await connection.run(`update incidents set closer = '{"person_name": "hmac:${'0'.repeat(64)}"}'`)
    await connection.run(`delete from faultline_meta where key = 'privacy_since'`)
    await connection.run(`insert into faultline_meta values ('privacy_since', '2026-11-20T00:00:00.000Z')`)
  })
})

async function told(rules: { drop?: string[]; hash?: string[] }) {
  const reader = await openReader(warehouse)
  try {
    const privacy = { drop: [], hash: [], salt: '', ...rules }
    return (await checkPrivacy(reader, { privacy, out })).map(({ level, message }) => `${level}: ${message}`)
  } finally {
    reader.close()
  }
}

describe('the privacy part of `faultline check`', () => {
  test('lists all columns with personal names if a rule covers only one column', async () => {
    expect(await told({ hash: ['members.member_name'] })).toEqual([
      expect.stringMatching(/^ok: no possible e-mail/),
      expect.stringMatching(
        /^warn: names of people are still stored \(rows\): incidents\.owner \(\d+\), members\.member_name \(6\)/,
      ),
    ])
    expect(await told({ hash: ['incidents.owner.person_name'] })).toHaveLength(2)
    // The rule for names covers every column. Stored values change with the next sync.
    expect(await told({ hash: ['name'] })).toHaveLength(1)
    expect(await told({ drop: ['members.phone'] })).toHaveLength(1)
  })

  test('lists columns that contain the same values as a column with a rule', async () => {
    expect(await told({ drop: ['channels.channel_name', 'post_mortems.channel_name'] })).toEqual([
      expect.stringMatching(/^ok/),
      'warn: channels.channel_name has a privacy rule, but these columns may contain the same data: incidents.channel_name',
      'warn: post_mortems.channel_name has a privacy rule, but these columns may contain the same data: incidents.channel_name',
    ])
    expect(twinsOf(['incidents.title', 'email', 'members.phone'], resources).columns).toEqual([])
  })

  test('lists report pages and exports that are older than the privacy rules', async () => {
    const made = (path: string, day: string, text = '') => {
      mkdirSync(join(out, path, '..'), { recursive: true })
      writeFileSync(join(out, path), text)
      utimesSync(join(out, path), new Date(day), new Date(day))
    }
    const manifest = JSON.stringify({ faultline: '1', exports: [{ files: ['members.csv'] }] })
    for (const [folder, day] of [
      ['export-old', '2026-11-19'],
      ['export-new', '2026-11-21'],
    ] as const) {
      made(`${folder}/members.csv`, '2026-11-19')
      made(`${folder}/manifest.json`, day, manifest)
    }
    made('teams/payments/mtta.html', '2026-11-19')
    made('mtta.html', '2026-11-21')
    made('notes.txt', '2026-11-19')
    // The file of team addresses is not a page, and removing it would break former links.
    made('.teams.json', '2026-11-19')
    const paths = ['export-old', 'teams/payments/mtta.html'].map((path) => relative('', join(out, path)))
    expect((await told({ hash: ['email'] })).at(-1)).toBe(
      `warn: created before the privacy rules, may contain removed data: ${paths.join(', ')}`,
    )
    expect(await told({})).toHaveLength(1)
  })
})
