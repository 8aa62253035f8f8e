import { existsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { syncAccounts } from '../support/storage.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { APAC, account, company, EMEA, LATAM, later, resources, told, twoCompanies } from './two-companies.ts'

// Every sync uses HTTP and a file, which takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const at = twoCompanies()
const { breakOff, common, differ, query, rowsOf, syncAll, workingFile } = at

describe('an account that is partly synced', () => {
  test('is never visible, does not block others, and continues later', async () => {
    preparedWarehouse(at.path, EMEA, APAC)
    const apac = await company(APAC, { incidents: 900 })
    // The first sync of APAC stores only a part in the working file.
    await breakOff(apac, [account('EMEA', at.emea), account('APAC', apac)], 12)
    expect(existsSync(at.path)).toBe(false)
    expect(await rowsOf(APAC, workingFile(APAC))).toBeGreaterThan(0)

    const result = await syncAll(account('EMEA', at.emea))
    expect(told(result)).toEqual({ published: true, EMEA: 'ok' })
    expect(await differ(at.emea, EMEA)).toEqual([])
    expect(await rowsOf(APAC)).toBe(0)
    for (const table of ['sync_runs', 'accounts', 'as_of', 'incident_responders', 'data_quality']) {
      const [other] = await query(`select count(*)::int as n from ${table} where account_id = ${APAC}`)
      expect(other, table).toEqual({ n: 0 })
    }
    const orphans =
      'select count(*)::int as n from sync_windows anti join sync_runs using (account_id, run_id)'
    expect(await query(orphans)).toEqual([{ n: 0 }])

    // Its stored rows remain and are not read again.
    expect(await rowsOf(APAC, workingFile(APAC))).toBeGreaterThan(0)
    expect(told(await syncAll(account('APAC', apac)))).toEqual({ published: true, APAC: 'ok' })
    const [again] = await query(
      `select sum(rows_read)::int as n from sync_windows
       where account_id = ${APAC} and run_id = (select max(run_id) from sync_runs where account_id = ${APAC})
       and resource = 'incidents'`,
    )
    expect(again!.n).toBeLessThan((await rowsOf(APAC)) as number)
    expect(await differ(apac, APAC)).toEqual([])
    expect(await differ(at.emea, EMEA)).toEqual([])
  })

  test('and was published before stays as it was, however often the others are published', async () => {
    preparedWarehouse(at.path, EMEA, APAC)
    const apac = await company(APAC, { incidents: 600 })
    const [one, two] = [account('EMEA', at.emea), account('APAC', apac)]
    await syncAll(one, two)
    const seen = () =>
      query(
        `select md5(string_agg(md5(r::text), '' order by incident_id)) as all, count(*)::int as n
         from (select * exclude (_run_id) from incidents where account_id = ${APAC}) r`,
      )
    const before = await seen()
    const [asOf] = await query(`select as_of_at from as_of where account_id = ${APAC}`)
    for (const sandbox of [at.emea, apac]) await later(sandbox, 48)
    await breakOff(apac, [two], 3)
    // Its key is revoked now. Its sync cannot finish, but delays no other account.
    for (let night = 0; night < 2; night++) {
      await later(at.emea)
      const result = await syncAll(one, account('APAC', apac, 'revoked'))
      expect(told(result)).toMatchObject({ published: true, EMEA: 'ok' })
      expect(await differ(at.emea, EMEA)).toEqual([])
      expect(await seen()).toEqual(before)
      expect(await query(`select as_of_at from as_of where account_id = ${APAC}`)).toEqual([asOf])
    }
    // It continues where it stopped. Missing records are noticed when those windows are read again.
    for (let night = 0; night < 2; night++) {
      expect(told(await syncAll(two))).toEqual({ published: true, APAC: 'ok' })
    }
    expect(await differ(apac, APAC)).toEqual([])
  })

  test('does not make a run that read no windows publish it', async () => {
    preparedWarehouse(at.path, EMEA, LATAM)
    const latam = await company(LATAM, { incidents: 600 })
    await breakOff(latam, [account('LATAM', latam)], 3)
    const teams = resources.filter(({ table }) => table === 'teams')
    const result = await syncAccounts({
      ...common(),
      resources: teams,
      accounts: [account('LATAM', latam), account('EMEA', at.emea)],
    })
    expect(result.outcomes.map((one) => 'summary' in one && one.summary.complete)).toEqual([false, true])
    expect(await rowsOf(LATAM)).toBe(0)
  })
})
