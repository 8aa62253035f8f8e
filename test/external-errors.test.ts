import { expect, test } from 'vitest'
import { DuckDBInstance } from '../src/definitions/duckdb.ts'
import {
  isCommitConflict,
  isCorruption,
  lakeReasonOf,
  statementFaultIn,
  suggestedFix,
  toFaultlineError,
} from '../src/external-errors.ts'

test.each([
  ['IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2', true],
  ['INTERNAL Error: Attempted to access index 0 within vector of size 0', true],
  ['IO Error: Could not read from file "x": Input/output error', undefined],
  ['TransactionContext Error: Failed to commit: Corrupt data: No space left on device', false],
  ['IO Error: Could not set lock on file "/data/corrupt/x.duckdb"', false],
  ['Binder Error: Referenced column "checksum" not found in FROM clause!', undefined],
])('isCorruption recognizes whether an error means damage: %s', (reason, damaged) => {
  expect(isCorruption(new Error(reason))).toBe(damaged)
})

test('a permission error from PostgreSQL causes no advice about file permissions', () => {
  const reason = 'permission denied for table faultline_locks'
  expect(suggestedFix(new Error(reason), 'lake')).toBeUndefined()
  expect(suggestedFix(new Error(`IO Error: Cannot write "x": ${reason}`))).toMatch(/may write the file/)
  expect(suggestedFix(new Error('unable to connect to Postgres at "x"'), 'lake')).toMatch(
    /PostgreSQL is running/,
  )
})

test('the error for a failed commit to a lake omits the stored values', () => {
  const cause = new Error(
    'Failed to execute query "INSERT INTO ducklake_snapshot VALUES (1, \'a name\')": ERROR: duplicate key value violates unique constraint "ducklake_snapshot_pkey"\nDETAIL: (snapshot_id)=(1)',
  )
  expect(isCommitConflict(cause)).toBe(true)
  expect(lakeReasonOf(cause)).not.toContain('a name')
  expect(lakeReasonOf(cause)).toMatch(/^Failed to execute a statement: ERROR: .* DETAIL/)
})

test('a DuckDB error in a statement is parsed into line, suggestion and missing table', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run('create table incidents (severity varchar)')
  const fault = async (sql: string) => statementFaultIn(await connection.run(sql).catch((error) => error))
  expect(await fault('select\n  sevrity from incidents')).toEqual({
    line: 2,
    column: 'sevrity',
    hint: 'Candidate bindings: "severity"',
  })
  expect(await fault('from incidentz')).toEqual({
    line: 1,
    hint: 'Did you mean "incidents"?',
    missing: 'incidentz',
  })
  connection.closeSync()
  instance.closeSync()
})

test('an unexpected error is reported as a bug in Faultline', () => {
  expect(toFaultlineError(new TypeError('x is no function'))).toMatchObject({
    message: 'x is no function',
    next: expect.stringMatching(/bug in Faultline/),
    exitCode: 1,
  })
})
