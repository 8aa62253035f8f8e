import { describe, expect, test } from 'vitest'
import { matches, phraseIn, phrases, sentencesOf } from './support/prose.ts'

describe('the prose check', () => {
  test.each([
    ['What … as subject', 'What is open now, by team.', 'Incidents that are open now, by team.'],
    ['is told', 'A wrong name is told with its line.', 'Teams are told apart by their number.'],
    ['is said', 'That is said once.', 'It says which team.'],
    ['says nothing of', 'The page says nothing of it.', 'The page omits it.'],
    ['speaks of', 'The incidents that a report speaks of.', 'It speaks TLS.'],
    ['stands at', 'The figure stands beside its name.', '`[]` stands for an element.'],
    ['held against', 'A week is held against the others.', 'A lock is held.'],
    ['as many as there are', 'Uses as many as there are cores.', 'Reads as many rows as possible.'],
    ['of so many', 'The last page of so many incidents.', 'It has so many that a page is full.'],
    ['is none', 'A text that is none is refused.', 'Null if there is none.'],
  ])('rejects the phrase "%s" and accepts a plain sentence', (name, wrong, right) => {
    expect(phraseIn(wrong)?.name).toBe(name)
    expect(phraseIn(right)).toBeUndefined()
  })

  test('has an example for every phrase', () => {
    expect(phrases).toHaveLength(10)
    expect(phraseIn('The word `is told` is code.')).toBeUndefined()
  })

  test('reads comments, titles and guides, but not string literals', () => {
    const texts = (file: string, text: string) => sentencesOf(file, text).map((one) => one.text)
    const code = `/**\n * One two.\n * Three four.\n * @returns five six\n */\nconst a = '// no comment' // seven eight
// nine\n// ten\ntest.each([\`/* no \${a} */\`])('title of %s', () => /\\/\\/ none/)\n`
    expect(texts('a.ts', code)).toEqual([
      'One two.',
      'Three four.',
      'five six',
      'seven eight nine ten',
      'title of %s',
    ])
    expect(texts('a.sql', '-- One two\n-- three.\n-- a: four five\nselect 1 -- six seven\n')).toEqual([
      'One two three.',
      'four five',
    ])
    const page = '# A heading\n\nOne [two](a.md).\n\n    code here\n\n| a b | c d |\n|---|---|\n- item one\n'
    expect(texts('README.md', page)).toEqual(['A heading', 'One two.', 'a b', 'c d', 'item one'])
  })

  test('finds no phrase that has to be read twice', () => {
    const advice = matches().map((line) => `${line}\n  write ${phraseIn(line.replace(/^.*?: /, ''))?.write}`)
    expect(advice, 'rewrite these sentences').toEqual([])
  })
})
