import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

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
/** Characters that control a terminal or the direction of text. */
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

let warehouse: string
let folder: string
beforeAll(async () => {
  folder = scratch()
  warehouse = await warehouseFile(async (connection) => {
    await connection.run('create table texts (title varchar, list varchar[])')
    for (const text of HOSTILE)
      await connection.run('insert into texts values ($text::varchar, [$text::varchar])', { text })
  })
})

const sql = (...args: string[]) => run(['sql', '--warehouse', warehouse, ...args], { TMPDIR: folder })

describe('text from the service in the output of `sql`', () => {
  test.each(['table', 'csv', 'json', 'markdown'])(
    'contains no control characters in the format %s',
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

  test('keeps every character in JSON output', async () => {
    const { out } = await sql('--format', 'json', 'from texts')
    const rows = JSON.parse(out) as { title: string; list: string[] }[]
    expect(rows.map(({ title }) => title)).toEqual(HOSTILE)
    expect(rows.map(({ list }) => list[0])).toEqual(HOSTILE)
  })

  test('renders as plain text in Markdown, without tags, images or links', async () => {
    const { out } = await sql('--format', 'markdown', 'select title from texts')
    const { default: MarkdownIt } = await import('markdown-it')
    const html = new MarkdownIt({ html: true, linkify: false }).render(out)
    expect(html.match(/<(?!\/?(table|thead|tbody|tr|th|td)\b)[a-z!][^>]*>/gi) ?? []).toEqual([])
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).toContain('`code` *bold* _em_ ~~no~~ $math$ &amp;amp; a|b \\| &lt;!-- c')
    expect(out).not.toMatch(/https?:\/\/|www\./)
  })
})
