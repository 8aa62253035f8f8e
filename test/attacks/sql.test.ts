import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { WarehouseError } from '../../src/errors.ts'
import { toCsv } from '../../src/render/to-csv.ts'
import { openReader } from '../../src/warehouse/read/reader.ts'
import { run, start } from '../support/cli.ts'
import { warehouseFile } from '../support/warehouse.ts'

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '![beacon](http://evil.example/x.png)',
  '[click](javascript:alert(1))',
  'see http://evil.example and www.evil.example',
  '`code` *bold* _em_ ~~no~~ $math$ &amp; a|b \\| <!-- c',
  '\u001b]0;title\u0007\u001b[2J\u009b31m',
  '\u202egnp.exe\u2066\u200f\u0000',
  '=HYPERLINK("http://evil.example")',
]
/** What acts on a terminal, or on the order of what is read. */
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

let warehouse: string
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-sql-'))
  warehouse = await warehouseFile(async (connection) => {
    await connection.run('create table texts (title varchar, list varchar[])')
    for (const text of HOSTILE)
      await connection.run('insert into texts values ($text::varchar, [$text::varchar])', { text })
    await connection.run("create table secrets as select 'PLAINSECRET' || range as secret from range(400000)")
  })
})

const sql = (...args: string[]) => run(['sql', '--warehouse', warehouse, ...args], { TMPDIR: folder })

describe('what the service sent, in every format of sql', () => {
  test.each(['table', 'csv', 'json', 'markdown'])(
    'holds nothing that acts on a terminal: %s',
    async (format) => {
      const { code, out } = await sql(
        '--format',
        format,
        `select title, list, title as "${HOSTILE[5]!.slice(1)}" from texts`,
      )
      expect(code).toBe(0)
      expect(out.replaceAll('\r\n', '\n')).not.toMatch(ACTS)
      expect(out).toContain('beacon')
    },
  )

  test('JSON keeps every character of it', async () => {
    const { out } = await sql('--format', 'json', 'from texts')
    const rows = JSON.parse(out) as { title: string; list: string[] }[]
    expect(rows.map(({ title }) => title)).toEqual(HOSTILE)
    expect(rows.map(({ list }) => list[0])).toEqual(HOSTILE)
  })

  test('Markdown shows it as text: no tag, image, link or markup', async () => {
    const { out } = await sql('--format', 'markdown', 'select title from texts')
    const { default: MarkdownIt } = await import('markdown-it')
    const html = new MarkdownIt({ html: true, linkify: false }).render(out)
    expect(html.match(/<(?!\/?(table|thead|tbody|tr|th|td)\b)[a-z!][^>]*>/gi) ?? []).toEqual([])
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).toContain('`code` *bold* _em_ ~~no~~ $math$ &amp;amp; a|b \\| &lt;!-- c')
    expect(out).not.toMatch(/https?:\/\/|www\./)
  })

  test('CSV holds no formula, however it is begun', () => {
    const rows = [
      '=1',
      '+1',
      '-1',
      '@a',
      '\t=1',
      '\n=1',
      '\r=1',
      ' =1',
      '\u00a0=1',
      '＝1',
      '＋1',
      '－1',
      '＠a',
    ].map((text) => [text])
    const lines = toCsv({ columns: [{ name: 'a', type: 'VARCHAR' }] as never, rows: rows as never })
    for (const line of lines.split('\r\n').slice(1, -1)) expect(line).toMatch(/^"?'/)
    expect(toCsv({ columns: [{ name: 'a', type: 'INT' }] as never, rows: [[-1]] as never })).toBe(
      'a\r\n-1\r\n',
    )
  })
})

describe('functions that change the process, or hide what is run', () => {
  test.each([
    "from enable_logging(storage := 'stdout', level := 'trace')",
    `select * from "ENABLE_LOGGING"(level := 'trace')`,
    'with a as (from /* why */ enable_logging /* here */ ()) from a',
    'select (select count(*) from enable_logging())',
    'explain analyze from enable_logging()',
    'describe from enable_logging()',
    "from query('from enable_' || 'logging()')",
    `from json_execute_serialized_sql(json_serialize_sql('from enable_logging()'))`,
    'from disable_logging()',
    'from truncate_duckdb_logs()',
    "select write_log('a line')",
    'from force_checkpoint()',
    'from checkpoint()',
    'from arrow_scan(1, 2, 3)',
    'select sleep_ms(1)',
    'from system.main.enable_logging()',
  ])('%s', async (query) => {
    const reader = await openReader(warehouse)
    for (const act of [() => reader.query(query), () => reader.keep('kept', query)]) {
      const error = await act().catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(WarehouseError)
      expect((error as Error).message).toMatch(/^`\w+` is not possible here/)
    }
    expect((await reader.query("select current_setting('enable_logging')")).rows).toEqual([[0]])
    reader.close()
  })
})

describe('sql is bounded', () => {
  test('in memory: thirty million rows are written as they come', async () => {
    const { process: child, ended } = start(
      [
        'sql',
        '--warehouse',
        warehouse,
        '--format',
        'csv',
        'select range, range * 2 as b from range(30000000)',
      ],
      { TMPDIR: folder },
    )
    child.stdout!.removeAllListeners('data')
    let bytes = 0
    let most = 0
    child.stdout!.on('data', (chunk: string) => {
      bytes += chunk.length
      // A second signal would end it at once.
      if (bytes > 40_000_000 && !child.killed) child.kill('SIGINT')
    })
    const look = setInterval(() => {
      const status = `/proc/${child.pid}/status`
      if (!existsSync(status)) return
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0))
    }, 50)
    const { err } = await ended
    clearInterval(look)
    expect(bytes).toBeGreaterThan(40_000_000)
    expect(err).toMatch(/^Stopped/)
    expect(most).toBeLessThan(1_000_000)
  })

  test('in the size of one row: a list of millions, or a text of 220 MB, is refused in words', async () => {
    const rows = [
      ["select repeat('x', 220000000) as long", 'long'],
      ['select 1 as a, range(700000) as many', 'many'],
      ["select {'in': [{'r': r} for r in range(400000)]} as pairs", 'pairs'],
    ] as const
    for (const [query, column] of inject('isFast') ? rows.slice(0, 1) : rows) {
      const { code, out, err } = await sql('--format', 'csv', query)
      expect([code, out.length]).toEqual([1, 0])
      expect(err).toMatch(/One row is too large to write: about \d+ MB/)
      expect(err).toContain(`\`${column}\``)
      expect(err).toContain('unnest')
      const reader = await openReader(warehouse)
      await reader.keep('kept', query)
      await expect(reader.read('kept')).rejects.toThrow(/One row is too large/)
      reader.close()
    }
  })

  test('in what it works out before it runs: a list of twenty million is refused without gigabytes', async () => {
    const { process: child, ended } = start(
      ['sql', '--warehouse', warehouse, 'select range(20000000) as many'],
      { TMPDIR: folder },
    )
    let most = 0
    const look = setInterval(() => {
      const status = `/proc/${child.pid}/status`
      if (!existsSync(status)) return
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0))
    }, 50)
    const { code, err } = await ended
    clearInterval(look)
    expect([code, err]).toEqual([1, expect.stringMatching(/too large to write|Out of Memory/)])
    expect(most).toBeLessThan(1_000_000)
  })

  test('in the size of rows: those that are large come a few at a time', async () => {
    const large = (...args: string[]) => {
      const given = ['sql', '--warehouse', warehouse, ...args, "select repeat('x', 200000) from range(900)"]
      return start(given, { TMPDIR: folder, NODE_OPTIONS: '--max-old-space-size=150' })
    }
    const csv = large('--format', 'csv')
    csv.process.stdout!.removeAllListeners('data')
    let bytes = 0
    csv.process.stdout!.on('data', (chunk: string) => {
      bytes += chunk.length
    })
    const { code, err } = await csv.ended
    expect([code, err]).toEqual([0, ''])
    expect(bytes).toBeGreaterThan(180_000_000)
    const table = await large().ended
    expect(table.code).toBe(0)
    expect(table.err).toContain('There are more rows')
  })

  test('with every row or with an error: one that cannot be made does not just end the result', async () => {
    for (const format of ['csv', 'json', 'markdown', 'table']) {
      const late =
        "select cast(case when range = 150000 then 'x' else '1' end as int) as a from range(200000)"
      const { err, code } = await sql(late, '--format', format)
      expect(err, format).toMatch(/Could not convert string 'x'/)
      expect(code, format).toBe(1)
    }
  })

  test('all kinds of statements that read, with the names they give', async () => {
    for (const text of [
      'describe incidents',
      'show tables',
      'summarize incidents',
      'explain select 1',
      'values (1)',
    ]) {
      const { code, err } = await sql(text)
      expect(code, `${text}: ${err}`).toBe(0)
    }
    expect((await sql('select 1 as a, 2 as a', '--format', 'csv')).out).toContain('a,a')
  })

  test('in rows of a table, and says so', async () => {
    const { out, err, code } = await sql('from range(30000000)')
    expect(code).toBe(0)
    expect(out.split('\n').length).toBeLessThan(1_010)
    expect(out).toContain('the first 1,000 rows')
    expect(err).toContain('--format csv')
  })

  test('in rows of what is held at once', async () => {
    const reader = await openReader(warehouse)
    await reader.keep('many', 'from range(3000000)')
    for (const act of [() => reader.query('from range(3000000)'), () => reader.read('many')])
      await expect(act()).rejects.toThrow(/more than 1,000,000 rows/)
    // With the names and the order of the statement alone.
    expect((await reader.query('select 1 as a, 2 as a')).columns.map(({ name }) => name)).toEqual(['a', 'a'])
    const { rows } = await reader.query('select i, $b from range(9) t(i) order by -i -- last', { b: 'x' })
    expect(rows.map(([i]) => Number(i))).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0])
    for (const wrong of [
      'select nothing from incidents',
      'selec 1',
      "select cast(n as int) from (values ('x')) t(n)",
    ])
      await expect(reader.query(wrong)).rejects.not.toThrow(/limit/)
    reader.close()
  })

  test('in memory, before rows are refused: ten million wide ones', async () => {
    const wide = [1, 2, 3, 4, 5, 6].map((n) => `repeat('abcdef ${n}', 5) || range::varchar as v${n}`)
    const program = `
      import { readFileSync } from 'node:fs'
      import { openWarehouse } from ${JSON.stringify(new URL('../../dist/sdk/index.js', import.meta.url))}
      const reader = await openWarehouse(${JSON.stringify(warehouse)})
      const failure = await reader.query(${JSON.stringify(`select ${wide.join(', ')} from range(10000000)`)}).catch(String)
      await reader.close()
      const most = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0)
      console.log(JSON.stringify({ failure, most }))`
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    const { failure, most } = JSON.parse(child.stdout)
    expect(failure).toMatch(/more than 1,000,000 rows/)
    expect(most).toBeLessThan(1_000_000)
  })

  test('in time', async () => {
    const { out, err, code } = await sql(
      '--timeout',
      '1s',
      'select sum(hash(range)) from range(1000000000000)',
    )
    expect([out, code]).toEqual(['', 1])
    expect(err).toMatch(/did not end within 1 s/)
    expect(err).toContain('--timeout')
    expect((await sql('--timeout', 'soon', 'select 1')).code).toBe(2)
    // What fails before it runs does not wait for the end of its time.
    expect((await run(['sql', '--warehouse', join(folder, 'none.duckdb'), 'select 1'])).code).toBe(1)
  })
})

describe('rows that are spilled to disk', () => {
  const SPILLS = `select count(*) from (select a.secret, b.range, row_number() over (order by md5(a.secret || b.range), a.secret) n
    from secrets a, range(30) b) where n % 2 = 0 and secret <> ''`
  /** The folders of spilled rows, and the bytes in them. */
  const spills = () => readdirSync(folder).filter((name) => name.startsWith('faultline-spill-'))
  const bytesIn = (name: string) => {
    const path = join(folder, name)
    return readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0)
  }
  /** Little memory, so that it does not take much to fill it. */
  const frugal = () => {
    writeFileSync(join(folder, 'config.json'), '{ "reporting": { "memoryLimit": "100MB" } }')
    return { TMPDIR: folder, FAULTLINE_CONFIG: join(folder, 'config.json') }
  }
  const spilling = async () => {
    const running = start(['sql', '--warehouse', warehouse, SPILLS], frugal())
    await vi.waitFor(() => expect(spills().some((name) => bytesIn(name) > 1_000_000)).toBe(true), {
      timeout: 25_000,
      interval: 50,
    })
    return running
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('are gone after %s', async (signal) => {
    const { process: child, ended } = await spilling()
    const [name] = spills()
    expect(name).toContain(`-${child.pid}-`)
    expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o700)
    child.kill(signal)
    expect((await ended).err).toMatch(/^Stopped/)
    expect(spills()).toEqual([])
  })

  test('of a process that was killed are removed by the next that reads; those of a live one, or of others, stay', async () => {
    const { process: child, ended } = await spilling()
    child.kill('SIGKILL')
    await ended
    expect(spills().length).toBe(1)
    const live = `faultline-spill-${hostname().replace(/[^\w.]/g, '_')}-${process.pid}-abcdef`
    for (const name of [live, 'faultline-spill-elsewhere-1-abcdef', 'faultline-spill-x'])
      mkdirSync(join(folder, name))
    utimesSync(join(folder, live), 0, 0)
    const next = start(['sql', '--warehouse', warehouse, 'select 1'], { TMPDIR: folder })
    expect((await next.ended).code).toBe(0)
    expect(spills().sort()).toEqual([live, 'faultline-spill-elsewhere-1-abcdef', 'faultline-spill-x'].sort())
  })

  test('of a pipe that was closed are gone too', async () => {
    for (const name of spills()) expect(name).toMatch(/elsewhere|-x$|abcdef/)
    const before = spills()
    const { process: child, ended } = start(
      ['sql', '--warehouse', warehouse, '--format', 'csv', 'from secrets, range(15)'],
      frugal(),
    )
    child.stdout!.once('data', () => child.stdout!.destroy())
    expect((await ended).code).toBe(0)
    expect(spills()).toEqual(before)
  })
})
