import type * as OpenTelemetry from '@opentelemetry/api'
import { isTraced } from '../config/tracing.ts'

const ERROR = 2
/** By name at run time only: it is not a dependency, and who wants traces has it. */
const API = '@opentelemetry/api'

/**
 * Does something as a span where `OTEL_*` is set and OpenTelemetry is installed, else without. Requests get their spans from the
 * SDK's instrumentation of undici, below this one.
 * @param ended what the span says of the result: attributes, and `error` where it failed
 */
export async function traced<Result>(
  name: string,
  act: () => Promise<Result>,
  ended: (result: Result) => { readonly error?: string | null | undefined; readonly [name: string]: unknown },
): Promise<Result> {
  const api: typeof OpenTelemetry | undefined = isTraced()
    ? await import(API).catch(() => undefined)
    : undefined
  if (!api) return act()
  return api.trace.getTracer('faultline').startActiveSpan(name, async (span) => {
    try {
      const result = await act()
      const { error, ...facts } = ended(result)
      for (const [key, value] of Object.entries(facts)) {
        if (typeof value === 'string' || typeof value === 'number')
          span.setAttributes({ [`faultline.${key}`]: value })
      }
      if (error) span.setStatus({ code: ERROR, message: error })
      return result
    } catch (error) {
      span.setStatus({ code: ERROR, message: error instanceof Error ? error.name : 'error' })
      throw error
    } finally {
      span.end()
    }
  })
}
