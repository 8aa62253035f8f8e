import type { Links, UsualRange } from './result/block-parts.ts'
import type { QueryResult } from './result/query-result.ts'
import type { Inline } from './result/running-text.ts'
import type { ChartSpec } from './spec.ts'

/** A chart of a page: its spec, and the rows it draws. */
export interface ChartBlock<Spec extends ChartSpec = ChartSpec> {
  kind: 'chart'
  /** What findings that it proves link to. */
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  width: 'full' | 'half'
  spec: Spec
  data: QueryResult
  /** Vertical or horizontal marker lines, e.g. the median in a histogram or a target across a trend. */
  rules: readonly { label: string; value: number }[]
  /** The usual range of a control chart; null for other charts, and where there are too few points. */
  usual?: UsualRange | null
  links?: Links | null
}
