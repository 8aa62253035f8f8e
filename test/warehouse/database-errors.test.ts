import { expect, test } from 'vitest'
import { ConfigError, WarehouseError } from '../../src/errors.ts'
import { openError, writeError } from '../../src/warehouse/database-errors.ts'

test.each([
  ['IO Error: Could not write all bytes to file "x": No space left on device', /Free up disk space/],
  ['IO Error: Cannot write to "x": Read-only file system', /may write the file/],
  ['IO Error: Could not write file "x": File too large', /ulimit -f/],
  ['Out of Memory Error: could not allocate block of size 256.0 KiB', /sync.memoryLimit/],
  ['INTERNAL Error: something new', /report this message/],
])('%s is reported with the failed step, the reason and the next step', (reason, next) => {
  const cause = new Error(reason)
  const error = writeError('Storing 3 rows of incidents', cause)
  expect(error).toBeInstanceOf(WarehouseError)
  expect(error.message).toBe(`Storing 3 rows of incidents failed: ${reason}`)
  expect(error.next).toMatch(next)
  expect(error.next).toMatch(/Earlier data is unchanged/)
  expect(error.cause).toBe(cause)
})

test.each([
  ['TransactionContext Error: Failed to commit: No space left on device', /Free up disk space/],
  ['Out of Memory Error: failed to allocate data of size 32.0 KiB', /sync.memoryLimit/],
  ['IO Error: not a valid DuckDB database file', /Move it away/],
])('the error “%s” at opening leads to advice that fits the cause', (reason, next) => {
  expect(openError(new Error(reason), '/data/x.duckdb.sync/1.duckdb').next).toMatch(next)
})

test('an error that Faultline itself raised while storing is returned unchanged', () => {
  const error = new ConfigError('wrong')
  expect(writeError('Storing', error)).toBe(error)
})
