import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pageStyle } from '../../src/render/page-style.ts'

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
  const texts = files.map((file) => marksOf(readFileSync(new URL(file, folder), 'utf8')))
  const missing = files.filter((_, index) => !marksOf(pageStyle).includes(texts[index]!))
  expect(missing).toEqual([])
  expect(texts.join('').length).toBe(marksOf(pageStyle).length)
})

test('is minified, and keeps the spaces that mean something', () => {
  expect(pageStyle).not.toMatch(/\n|\/\*|;\}|: | \{|, | ?> | ?\+ [*.:a-z]| 0\.\d/)
  for (const part of [
    '.facts b{',
    '.hit>*+*{opacity:0',
    ':focus>.hit>*+*{',
    '@media screen and (prefers-color-scheme:dark){:root{',
    'border:solid var(--hair)',
    'calc(50vw - 460px)',
    'font:15px/1.5 Inter,',
    '"Segoe UI",Roboto',
    'letter-spacing:-.022em',
    'stroke-width:1.4',
  ])
    expect(pageStyle).toContain(part)
})
