import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { createSandbox, sync } from '../../../src/sdk/index.ts'
import { run } from '../../support/cli.ts'
import { type Store, startStore } from '../../support/lake.ts'
import { installed } from '../../support/python.ts'
import { openReader, openWarehouse } from '../../support/storage.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const FIGURES = `select count(*), sum(time_to_resolve_s)::double, count(*) filter (where incident_severity = 'Critical'), max(start_time)::varchar
  from incident_times`

/** Reads the export with Polars, and adds its files to an Iceberg table unchanged. */
const PROGRAM = `
import json, os, sys, polars
from pyarrow.fs import S3FileSystem
from pyarrow.parquet import ParquetFile
from pyiceberg.catalog.sql import SqlCatalog
address, folder = sys.argv[1:]
options = {'aws_access_key_id': 'key', 'aws_secret_access_key': os.environ['SECRET'], 'aws_region': 'us-east-1',
  'aws_endpoint_url': 'http://' + address, 'aws_allow_http': 'true'}
times = polars.read_parquet('s3://rows/exported/incident_times.parquet', storage_options=options)
of = lambda t: [len(t), float(t['time_to_resolve_s'].sum()), t.filter(polars.col('incident_severity') == 'Critical').height]
parts = polars.read_parquet('s3://rows/exported/incidents/**/*.parquet', storage_options=options, hive_partitioning=True)
empty = polars.read_parquet('s3://rows/exported/quarantine.parquet', storage_options=options)


file = 'rows/exported/incident_times.parquet'
s3 = S3FileSystem(endpoint_override=address, scheme='http', access_key='key', secret_key=os.environ['SECRET'], region='us-east-1')
columns = ParquetFile(file, filesystem=s3, arrow_extensions_enabled=False).schema_arrow
catalog = SqlCatalog('test', **{'uri': f'sqlite:///{folder}/catalog.db', 'warehouse': 's3://rows/iceberg',
  's3.endpoint': 'http://' + address, 's3.access-key-id': 'key', 's3.secret-access-key': os.environ['SECRET'], 's3.region': 'us-east-1'})
catalog.create_namespace('faultline')
# Its statistics do not know texts that are JSON.
table = catalog.create_table('faultline.incident_times', columns, properties={'write.metadata.metrics.default': 'counts'})
table.add_files(['s3://' + file])
print(json.dumps([of(times), len(parts), [len(empty), len(empty.columns)], of(polars.from_arrow(table.scan().to_arrow()))]))
`

const folder = mkdtempSync(join(tmpdir(), 'faultline-exported-'))
const warehouse = join(folder, 'faultline.duckdb')
const store = await startStore()

describe.runIf(store !== undefined)('an export into an object store', () => {
  const secret = 'secret of the store'
  const { s3, extensions } = (store as Store)?.fields ?? {}
  const exported = (...args: string[]) =>
    run(['export', '--warehouse', warehouse, ...args], { FAULTLINE_S3_SECRET: secret }, folder)
  beforeAll(async () => {
    const sandbox = await createSandbox({ incidents: 150, limits: false })
    const { baseUrl, appKey } = sandbox
    await sync({ baseUrl, appKey, warehouse, since: new Date(Date.now() - 120 * 86_400_000) })
    await sandbox.close()
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ lake: { s3, extensions } }))
  })
  afterAll(async () => {
    await store?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const accountOf = async () => {
    const reader = await openReader(warehouse)
    const { rows } = await reader.query('select account_id from accounts')
    reader.close()
    return rows[0]![0] as bigint
  }
  const figures = async () => {
    const reader = await openReader(warehouse)
    const { rows } = await reader.query(FIGURES)
    const [[incidents]] = (await reader.query('select count(*) from incidents')).rows as [[bigint]]
    reader.close()
    const [count, seconds, critical] = rows[0]!
    return { times: [Number(count), Number(seconds), Number(critical)], incidents: Number(incidents) }
  }

  test('gives the same figures as the warehouse when read by Polars or as an Iceberg table', async (context) => {
    const done = await exported('--to', 's3://rows/exported/')
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Written to s3://rows/exported') })
    expect(done.err + done.out).not.toContain(secret)
    const packages = join(folder, 'packages')
    if (!installed(['polars', 'pyiceberg[pyarrow,sql-sqlite]'], packages))
      context.skip('polars or pyiceberg could not be installed')
    const env = { ...process.env, PYTHONPATH: packages, SECRET: secret }
    const { endpoint } = s3 as { endpoint: string }
    // Asynchronous, because the store is a server in this process.
    const program = await promisify(execFile)('python3', ['-c', PROGRAM, endpoint, folder], { env })
    const { times, incidents } = await figures()
    expect(JSON.parse(program.stdout)).toEqual([times, incidents, [0, expect.any(Number)], times])
    expect(incidents).toBeGreaterThan(50)
  })

  test('removes the files of months that no longer exist', async () => {
    const before = await exported('incidents', '--to', 's3://rows/again', '--json')
    const opened = await openWarehouse(warehouse, resources, { accountId: await accountOf() })
    await sql`delete from incidents where start_time < (select max(start_time) - interval 40 day from incidents)`.execute(
      opened.db,
    )
    await opened.publish()
    const after = await exported('incidents', '--to', 's3://rows/again', '--json')
    const [files, fewer] = [before, after].map(
      ({ out }) => (JSON.parse(out) as { exports: { files: string[] }[] }).exports[0]!.files,
    )
    expect(fewer!.length).toBeLessThan(files!.length)
    const { endpoint } = s3 as { endpoint: string }
    const authorization = 'AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request'
    const listed = await fetch(`http://${endpoint}/rows?prefix=again/`, { headers: { authorization } })
    const names = [...(await listed.text()).matchAll(/<Key>again\/(.*?)<\/Key>/g)].map(([, name]) => name)
    expect(names.sort()).toEqual([...fewer!, 'datapackage.json', 'manifest.json'].sort())
  })

  test('is rejected if the target contains files of another program', async () => {
    const { endpoint } = s3 as { endpoint: string }
    const authorization = 'AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request'
    await fetch(`http://${endpoint}/rows/other/a.txt`, {
      method: 'PUT',
      body: 'a',
      headers: { authorization },
    })
    const attempts = [
      [['--to', 's3://rows/other'], 2, /not part of an export/],
      [['--to', 's3://rows/csv', '--format', 'csv'], 2, /unknown format "csv" for an object store/],
      [['--to', 's3://rows/*'], 2, /not a valid object store address/],
      [['--to', 's3://no-such-bucket/x'], 1, /export failed/],
    ] as const
    for (const [args, code, message] of attempts)
      expect(await exported(...args)).toMatchObject({ code, err: expect.stringMatching(message) })
    const without = mkdtempSync(join(folder, 'without-'))
    const none = await run(['export', '--warehouse', warehouse, '--to', 's3://rows/x'], {}, without)
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('`lake.s3.keyId`') })
  })
})
