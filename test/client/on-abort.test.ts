import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onAbort } from '../../src/client/on-abort.ts'

describe('what waits for a signal', () => {
  it('is called once, in the order in which it came, unless it was taken back', () => {
    const stop = new AbortController()
    const called: string[] = []
    onAbort(stop.signal, () => called.push('a'))
    const forget = onAbort(stop.signal, () => called.push('b'))
    onAbort(stop.signal, () => called.push('c'))
    forget()
    stop.abort()
    stop.abort()
    expect(called).toEqual(['a', 'c'])
  })

  it('may be taken back by what is called before it', () => {
    const stop = new AbortController()
    const called: string[] = []
    onAbort(stop.signal, () => {
      called.push('a')
      forget()
    })
    const forget = onAbort(stop.signal, () => called.push('b'))
    stop.abort()
    expect(called).toEqual(['a'])
  })

  it('shares one listener, however many wait', () => {
    const { signal } = new AbortController()
    for (let count = 0; count < 100; count++) onAbort(signal, () => {})
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  })
})
