import { contextOf, format, plain } from '../../render/format.ts'
import type { Bucket } from '../../report/incidents/incident-selection.ts'
import type { OpenFrame } from '../../report/scope/frame.ts'
import { rangeText } from './period-sentences.ts'

/** Returns the time that the incidents of a list cover. Null if they cover any time. */
export function timeOf({ tests }: Bucket, frame: OpenFrame['frame']): string | null {
  const periods = tests.flatMap((test) => ('is' in test && test.column === 'period' ? [test.is] : []))
  const since = (day: string) => `Since ${plain(format(day, 'date', contextOf(frame)))}`
  switch (periods[0]?.toSorted().join()) {
    case 'current':
      return rangeText(frame)
    case 'previous':
      return frame.previousLabel
    case 'running':
      return since(frame.to)
    case 'current,running':
      return since(frame.from)
    default:
      return null
  }
}
