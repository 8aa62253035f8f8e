import { quoteLiteral } from '../definitions/quote.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import type { Quality } from './data-quality.ts'

/**
 * Returns SQL for candidates of findings of kind `data`. With topic `unread`, a part of the period was not read (value:
 * number of gaps, subject and detail: local ends of the first gap, within: the end of the period that it includes,
 * amount: its length in seconds). With topic `rejected`, more records failed validation than allowed (value: number of
 * these, before: number of all records).
 */
export function incompleteSql(
  { frame, coverage: { share, gaps }, endsEarly }: OpenFrame,
  { facts: { quarantined, records }, states }: Quality,
): string[] {
  const row = (topic: string, value: number, more: string) =>
    `select 'data' as kind, '${topic}' as topic, '${topic}' as key, ${value}::double as value, ${value}::double as n,
      true as is_worse, ${more}`
  const [first] = gaps
  const isUnread = first && share !== null && share > 0 && (endsEarly || states.coverage !== 'ok')
  const end = !first
    ? ''
    : first.from <= `${frame.from}T00:00:00`
      ? 'start'
      : first.to >= frame.to
        ? 'end'
        : ''
  return [
    ...(isUnread
      ? [
          row(
            'unread',
            gaps.length,
            `${quoteLiteral(first.from)} as subject, ${quoteLiteral(first.to)} as detail, '${end}' as "within",
            ${(Date.parse(`${first.to}Z`) - Date.parse(`${first.from}Z`)) / 1_000}::double as amount`,
          ),
        ]
      : []),
    ...(states.quarantined === 'error'
      ? [row('rejected', quarantined, `${quarantined + records}::double as before`)]
      : []),
  ]
}

/** Whether a finding is about incomplete data. A failed check reports the same problem. */
export const isIncomplete = ({ topic }: { readonly topic: string }) =>
  topic === 'unread' || topic === 'rejected'
