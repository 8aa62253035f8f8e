/**
 * An analyst's DuckDB: a process of its own that opens a file read-only and asks one query, again and again, until its
 * standard input ends. Usage: node analyst.mjs FILE QUERY PAUSE_MS
 * Says "ready" when it begins; at its end prints one JSON line: how often it looked, what it saw (each different row
 * once, in order), and every error.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'

const [, , file, query, pauseMs] = process.argv
let isOver = false
process.stdin.on('end', () => {
  isOver = true
})
process.stdin.resume()

let looks = 0
const sights = new Set()
const errors = []
process.stdout.write('ready\n')
while (!isOver) {
  // Before the first run has ended there is nothing to read; from then on there always is.
  if (looks > 0 || existsSync(file)) await look()
  await sleep(Number(pauseMs))
}
process.stdout.write(`${JSON.stringify({ looks, sights: [...sights], errors })}\n`)

async function look() {
  looks++
  try {
    const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' })
    const connection = await instance.connect()
    const [row] = (await connection.runAndReadAll(query)).getRowsJson()
    connection.closeSync()
    instance.closeSync()
    sights.add(JSON.stringify(row))
  } catch (error) {
    errors.push(String(error))
  }
}
