import { describe, expect, test } from 'vitest'
import { ContractError } from '../../src/errors.ts'
import { idsOf, many, readWindow } from './reading-window.ts'

describe('an empty list in a response', () => {
  test.each([
    ['null', { items: null, total: 0, has_next_page: false }],
    ['null, without has_next_page', { items: null, total: 0 }],
    ['omitted, without has_next_page', { total: 0 }],
  ])('is accepted if the items are %s', async (_, data) => {
    const result = await readWindow([], () => data)
    expect(result).toMatchObject({ failure: undefined, ids: [] })
    expect(result.requests).toHaveLength(1)
  })

  test.each([
    ['rows are missing', { items: null, total: 3, has_next_page: false }],
    ['a thousand rows or more are missing', { items: null, total: 1_000, has_next_page: false }],
    ['the total is missing', { items: null, has_next_page: false }],
    ['the answer is empty', {}],
  ])('is an error if %s', async (_, data) => {
    expect((await readWindow([], () => data)).failure).toBeInstanceOf(ContractError)
  })
})

test.each([150, 100, 1_200])('the last page of a list may omit has_next_page (%i rows)', async (rows) => {
  const all = many(rows, 60)
  const result = await readWindow(all, ({ has_next_page, ...page }) => (has_next_page ? undefined : page))
  expect(result).toMatchObject({ failure: undefined, ids: idsOf(all) })
})

test('the next page is requested after a page that has a cursor but no has_next_page', async () => {
  const all = many(250)
  const result = await readWindow(all, ({ has_next_page: _, ...page }) => page)
  expect(result).toMatchObject({ failure: undefined, ids: idsOf(all) })
})

test('a page without has_next_page and without a cursor is an error if the total exceeds the rows', async () => {
  const result = await readWindow(many(250), ({ items, total }) => ({ items, total }))
  expect(result.failure).toBeInstanceOf(ContractError)
})
