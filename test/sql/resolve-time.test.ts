import { describe, expect, test } from 'vitest'
import { happening, start } from './small-company.ts'

const { happen, one } = happening()

describe('the headline time to resolve', () => {
  const closed = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ close_time: start + 60 * (place + 1) }))
  const headline = () => one('from resolve_time()')

  test('covers only closed incidents if less than a tenth of incidents are open', async () => {
    await happen([...closed(10), {}])
    expect(await headline()).toMatchObject({
      closed: 10,
      open: 1,
      is_survival: false,
      median_s: 330,
      closed_median_s: 330,
    })
  })

  test('is a survival estimate if at least a tenth of incidents are open', async () => {
    await happen([...closed(9), {}])
    expect(await headline()).toMatchObject({
      open_share: 0.1,
      is_survival: true,
      median_s: 300,
      closed_median_s: 300,
    })
    // Nine of 13 are closed, so the seventh is the median of all, not the fifth.
    await happen([...closed(9), {}, {}, {}, {}])
    expect(await headline()).toMatchObject({ is_survival: true, median_s: 420, closed_median_s: 300 })
    expect((await headline()).rule).toMatch(/^of all incidents \(Kaplan–Meier estimate\)/)
  })

  test('is null if more than half of incidents are open', async () => {
    const others = [
      { close_time: start + 1, ever_muted: true },
      { ever_muted: true },
      { close_time: start + 1, end_time: start, closer_id: 0 },
      { close_time: start + 1, alert_cnt: 0 },
    ]
    await happen([...closed(2), ...others, {}, {}, {}])
    expect(await headline()).toMatchObject({ closed: 2, open: 3, median_s: null, closed_median_s: 90 })
    expect((await headline()).rule).toMatch(/which is unknown/)
  })
})
