import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exploreStyle, listStyle, pageStyle } from '../../src/render/page-style.ts'

const folder = new URL('../../src/render/style/', import.meta.url)

/** The style sheet without spaces and other differences of minification. */
const marksOf = (css: string) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/(?<![\w.])0\./g, '.')
    .replace(/\s/g, '')
    .replaceAll(';}', '}')

test('the style sheets of pages, lists and the explorer together contain every CSS file in full', () => {
  const files = readdirSync(folder)
  expect(files.length).toBeGreaterThan(5)
  const textOf = (file: string) => marksOf(readFileSync(new URL(file, folder), 'utf8'))
  // Style sheets of other pages: lists of incidents, and the explorer.
  const own = ['lists.css', 'incidents.css', 'explore.css']
  const texts = files.filter((file) => !own.includes(file)).map(textOf)
  expect(texts.filter((text) => !marksOf(pageStyle).includes(text))).toEqual([])
  expect(texts.join('').length).toBe(marksOf(pageStyle).length)
  expect(marksOf(exploreStyle).endsWith(textOf('explore.css') + textOf('incidents.css'))).toBe(true)
  expect(marksOf(listStyle)).toBe(['colors.css', ...own.slice(0, 2)].map(textOf).join(''))
})

test('the minified style sheet keeps the spaces that CSS requires', () => {
  expect(pageStyle).not.toMatch(/\n|\/\*|;\}|: | \{|, | ?> | ?\+ [*.:a-z]| 0\.\d/)
  for (const part of [
    '.facts b{',
    '.hit>*+*{opacity:0',
    ':focus>.hit>*+*{',
    '@media screen and (prefers-color-scheme:dark){:root{',
    'border:solid var(--hair)',
    'font:15px/1.5 Inter,',
    '"Segoe UI",Roboto',
    'letter-spacing:-.022em',
    'stroke-width:1.4',
  ])
    expect(pageStyle).toContain(part)
})
