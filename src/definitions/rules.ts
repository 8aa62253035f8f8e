import { type Choices, fillPlaceholders } from './rule-placeholders.ts'
import type { ViewFile } from './view-file.ts'

export type Library = ReadonlyMap<string, Pick<ViewFile, 'kind' | 'rules'>>

/** Returns the rules of a column, or of the relation itself if `column` is null. Follows references (`see other`). */
export function rulesOf(
  library: Library,
  name: string,
  column: string | null,
  choices: Choices,
): { term: string; text: string }[] {
  const own = library.get(name)?.rules.filter(({ of, when }) => {
    const isOfIt = column === null ? of.length === 0 : of.includes(column)
    return isOfIt && (when === null || choices.policies.get(when.policy) === when.value)
  })
  return (own ?? []).flatMap(({ see, term, text }) => {
    if (see === null) return [{ term, text: fillPlaceholders(text, choices) }]
    const [other = '', part = null] = see.split('.')
    return rulesOf(library, other, part, choices)
  })
}

function withRules(meaning: string, rules: readonly { term: string; text: string }[]): string {
  const sentences = rules.map(({ term, text }) => `Rule: ${term}: ${text}`)
  return sentences.length === 0 ? meaning : [meaning.replace(/[^.]$/, '$&.'), ...sentences].join(' ')
}

/** Appends the rules of each relation and column to its comment, and fills in placeholders. */
export function withDisplayComments(files: readonly ViewFile[], choices: Choices): ViewFile[] {
  const library = new Map(files.map((file) => [file.name, file]))
  return files.map((file) => {
    const said = (meaning: string, column: string | null) =>
      withRules(fillPlaceholders(meaning, choices), rulesOf(library, file.name, column, choices))
    const columns = [...file.columns].map(([column, meaning]) => [column, said(meaning, column)] as const)
    return { ...file, comment: said(file.comment, null), columns: new Map(columns) }
  })
}
