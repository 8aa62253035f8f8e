import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { sideDoor } from '../../support/side-door.ts'
import { sandboxProcess } from '../sandbox-process.js'

/** Matches a NUL in JSON (`\u0000`), unless its backslash is escaped. */
const NUL = /(?<!\\)((?:\\\\)*)\\u0000/g

/**
 * Writes the sandbox's incidents without NULs to a folder that the sandbox can serve. DuckDB's SQL does not accept
 * NULs, so loads that insert with SQL text (the default of dlt) would fail.
 */
export async function writePlainRecords(incidents: number, folder: string): Promise<void> {
  const sandbox = await sandboxProcess(incidents, '--no-limits')
  try {
    const file = createWriteStream(join(folder, 'incidents.ndjson'))
    const { body } = await sideDoor(sandbox.baseUrl, 'truth')
    for await (const line of createInterface(Readable.fromWeb(body as never)))
      if (!file.write(`${line.replace(NUL, '$1')}\n`)) await once(file, 'drain')
    file.end()
    await once(file, 'close')
  } finally {
    sandbox.stop()
  }
}
