import { format, plain } from '../../src/render/format.ts'
import type { FindingsBlock, ReportResult, Value } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'

export const leadOf = ({ blocks }: ReportResult): FindingsBlock =>
  blocks.find((block) => block.kind === 'findings')!
/** The sentences of the findings in the lead. */
export const linesOf = (result: ReportResult) => leadOf(result).lines.map(({ text }) => inlineText(text))

export type Row = Record<string, string>

export function csvOf(text: string): Row[] {
  const [head, ...rows] = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
        cell!.replace(/^"|"$/g, '').replaceAll('""', '"'),
      ),
    )
  return rows.map((cells) => Object.fromEntries(head!.map((name, place) => [name, cells[place] ?? ''])))
}

export const cellText = (value: Value | undefined) => (value instanceof Date ? '' : String(value ?? ''))

/** The findings that the lead may contain. */
export function leadRows({ findings }: ReportResult) {
  const { columns, rows } = findings!
  return rows
    .map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place] ?? null])))
    .filter((row) => row.gives_way === false)
}

/** The numbers of a text that match no formatted cell. Numbers in names are ignored. */
export function strangers(text: string, rows: readonly Row[]): string[] {
  const context = { timezone: 'UTC', year: '2026' }
  let left = text
  for (const row of rows.filter(({ sentence }) => sentence !== undefined))
    for (const name of [row.subject, row.within, row.detail, row.cause].filter((one) => one))
      left = left.replaceAll(name!, '')
  for (const cell of rows.flatMap((row) => Object.values(row)))
    if (/^\d{4}-\d\d-\d\d$/.test(cell)) left = left.replaceAll(plain(format(cell, 'date', context)), '')
  const known = new Set(rows.map(({ amount }) => `${amount}`.padStart(2, '0')))
  left = left.replaceAll(':00', '')
  for (const row of rows)
    for (const cell of Object.values(row)) {
      const value = Number(cell)
      if (cell === '' || !Number.isFinite(value)) continue
      const tenth = Math.round(value * 10) / 10
      for (const each of [value, Math.abs(value), Math.abs(value - 1)])
        for (const as of ['number', 'percent', 'duration'] as const)
          known.add(plain(format(each, as, context)))
      // A range such as `9–13 min` is in whole minutes, and has its unit once.
      const minutes = format(60 * Math.round(value / 60), 'duration', context)
      known.add(plain(minutes)).add(plain(minutes.slice(0, 1)))
      for (const rounded of [tenth, Math.round(value)]) known.add(plain(format(rounded, 'number', context)))
      known.add(`${plain(format(Math.abs(value) * 100, 'number', context))}\u00a0points`)
    }
  const numbers = left.match(/\d+(?:[,\u202f.]\d+)*(?:%|\u202f[a-z]+)?(?:\u00a0\d+\u202f[a-z]+)?/g) ?? []
  return numbers.filter((one) => !known.has(one))
}
