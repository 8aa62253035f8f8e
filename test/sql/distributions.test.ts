import { describe, expect, test } from 'vitest'
import { defined } from './defined.ts'

const { value } = defined()

describe('the distribution function', () => {
  // scipy 1.17.1: t.sf(x, df)*2, norm.sf(x)*2, t.ppf(0.975, df), 2*min(binom.cdf, binom.sf).
  test.each([
    ['student_p(2.5, 3)', 0.08770664700806556],
    ['student_p(-8, 11.7)', 6.532217155384708e-6],
    ['student_p(0.1, 100)', 0.9205445310958511],
    ['normal_p(1.96)', 0.04999579029644087],
    ['binomial_p(0, 18, 0.5)', 7.62939453125e-6],
    ['binomial_p(7, 20, 0.4)', 0.8317858751150711],
  ])('%s equals the value from SciPy', async (expression, wanted) => {
    expect(Number(await value(expression)) / wanted).toBeCloseTo(1, 6)
  })

  test.each([
    [1, 12.7062],
    [5, 2.5706],
    [30, 2.0423],
    [31, 2.0395],
    [200, 1.9719],
  ])('t95(%d) equals %d, as in a t table', async (df, wanted) => {
    expect(await value(`t95(${df})`)).toBeCloseTo(wanted, 3)
  })
})
