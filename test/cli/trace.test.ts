import { trace } from '@opentelemetry/api'
import { afterEach, expect, test, vi } from 'vitest'
import { traced } from '../../src/cli/trace.ts'

/** A provider that keeps what it is told, in the place of an SDK. */
function recorder() {
  const told: unknown[] = []
  const span = {
    setAttributes: (facts: object) => told.push(facts),
    setStatus: (status: object) => told.push(status),
    end: () => told.push('end'),
  }
  const startActiveSpan = (name: string, act: (one: typeof span) => unknown) => {
    told.push(name)
    return act(span)
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startActiveSpan }) } as never)
  return told
}

afterEach(() => {
  trace.disable()
  vi.unstubAllEnvs()
})

const ended = (status: number) => ({ status, error: status === 0 ? null : 'failed' })

test('a span says how it ended; without OTEL_* there is none', async () => {
  const told = recorder()
  expect(await traced('faultline sync', async () => 0, ended)).toBe(0)
  expect(told).toEqual([])
  vi.stubEnv('OTEL_SERVICE_NAME', 'faultline')
  expect(await traced('faultline sync', async () => 1, ended)).toBe(1)
  expect(told).toEqual(['faultline sync', { 'faultline.status': 1 }, { code: 2, message: 'failed' }, 'end'])
})

test('what is thrown ends the span, without its text, which could hold a secret', async () => {
  const told = recorder()
  vi.stubEnv('OTEL_TRACES_EXPORTER', 'otlp')
  const act = () => Promise.reject(new TypeError('k-secret'))
  await expect(traced('x', act, ended)).rejects.toThrow('k-secret')
  expect(told).toEqual(['x', { code: 2, message: 'TypeError' }, 'end'])
})
