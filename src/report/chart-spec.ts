import type { ChartSpec } from '../render/chart-spec.ts'
import type { ChartBody } from './chart-schema.ts'

/** What a chart block says about drawing, without its title and its data. */
export function chartSpec(body: ChartBody): ChartSpec {
  const { title: _title, subtitle: _subtitle, data: _data, width: _width, rules: _rules, ...spec } = body
  return spec
}

/** Every column a chart reads. */
export function chartColumns(spec: ChartSpec): string[] {
  const { x, y } = spec
  const optional = [
    ...('band' in spec ? (spec.band ?? []) : []),
    ...('interval' in spec ? (spec.interval ?? []) : []),
    ...('n' in spec ? [spec.n] : []),
    ...('color' in spec ? [spec.color] : []),
    ...('facet' in spec ? [spec.facet] : []),
    ...('outline' in spec ? [spec.outline] : []),
    ...('open' in spec ? [spec.open] : []),
    ...('target' in spec ? [spec.target] : []),
    ...('censored' in spec ? [spec.censored] : []),
  ]
  return [x, y, optional].flat().filter((name) => name !== null)
}
