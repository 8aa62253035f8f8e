import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exploreStyle, listStyle, pageStyle } from '../../src/render/page-style.ts'

const folder = new URL('../../src/render/style/', import.meta.url)

/** All that means something but for spaces, which the tests below look at. */
const marksOf = (css: string) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/(?<![\w.])0\./g, '.')
    .replace(/\s/g, '')
    .replaceAll(';}', '}')

test('holds every file of its folder, whole', () => {
  const files = readdirSync(folder)
  expect(files.length).toBeGreaterThan(5)
  const textOf = (file: string) => marksOf(readFileSync(new URL(file, folder), 'utf8'))
  // Pages of incidents have their own, and the colours of all; the explorer has its own besides.
  const own = ['lists.css', 'explore.css']
  const texts = files.filter((file) => !own.includes(file)).map(textOf)
  expect(texts.filter((text) => !marksOf(pageStyle).includes(text))).toEqual([])
  expect(texts.join('').length).toBe(marksOf(pageStyle).length)
  expect(marksOf(exploreStyle).endsWith(textOf('explore.css'))).toBe(true)
  expect(marksOf(listStyle)).toBe(textOf('colors.css') + textOf('lists.css'))
})

test('is minified, and keeps the spaces that mean something', () => {
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
