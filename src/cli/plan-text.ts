import type { Preview } from '../sync/preview.ts'
import type { Slice } from '../sync/slice.ts'
import { textTable } from './text-table.ts'

/** What a sync would read and why, for people. */
export function planText(preview: Preview): string {
  if (preview.slices.length === 0) return 'Nothing to read.'
  const rows = preview.slices.map((slice) => [
    slice.resource,
    slice.reason,
    whatOf(slice),
    `${slice.requests}${slice.reason === 'backfill' ? '+' : ''}`,
  ])
  const lines = textTable([['resource', 'reason', 'what', 'requests'], ...rows], [false, false, false, true])
  if (preview.following.length > 0) {
    lines.push('', `And what these refer to, as it is found: ${preview.following.join(', ')}.`)
  }
  const unknown = preview.slices.some((slice) => slice.reason === 'backfill')
  lines.push(
    '',
    `${preview.slices.length} windows, ${unknown ? 'at least ' : ''}${preview.requests} requests, ` +
      `${unknown ? 'at least ' : 'about '}${Math.ceil(preview.seconds)} s at the quota. Nothing was written.`,
  )
  return lines.join('\n')
}

function whatOf(slice: Slice): string {
  const day = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')
  const span = slice.span ? `${day(slice.span.start)} to ${day(slice.span.end)}` : ''
  const ids = slice.ids ? `${slice.ids.length} ids` : ''
  const resumed = slice.cursor === null ? '' : 'goes on where it broke off'
  return [span, ids, resumed].filter((part) => part !== '').join(', ') || 'everything'
}
