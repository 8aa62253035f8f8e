import { describe, expect, test } from 'vitest'
import { clean, cleanForMarkdown, cleanForTerminal, escapeActing } from '../../src/render/sanitize-text.ts'
import { toCsv } from '../../src/render/to-csv.ts'

/** Invisible characters, which language models still read. */
const UNSEEN = [
  ...['\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0100}', '\u200b', '\u2060'],
  ...['\u2064', '\u00ad', '\u180e', '\u3164', '\u034f'],
]

describe('invisible characters', () => {
  test.each(UNSEEN.map((one) => [one.codePointAt(0)!.toString(16), one]))(
    'are removed from displayed text, and escaped in JSON and CSV: U+%s',
    (_, one) => {
      for (const show of [clean, cleanForTerminal, cleanForMarkdown]) expect(show(`a${one}b`)).toBe('ab')
      const json = escapeActing(JSON.stringify(`a${one}b`))
      expect(json).toMatch(/^"a(\\u[0-9a-f]{4})+b"$/)
      expect(JSON.parse(json)).toBe(`a${one}b`)
      const csv = toCsv({ columns: [{ name: 't', type: 'VARCHAR' }], rows: [[`a${one}b`]] } as never)
      expect(csv).not.toContain(one)
    },
  )

  test('are kept in emoji and scripts that need them', () => {
    for (const text of ['👩\u200d💻', '❤\ufe0f', 'می\u200cخواهم']) {
      expect(clean(text)).toBe(text)
      expect(escapeActing(text)).toBe(text)
    }
  })
})
