import { type FormatContext, format, plain } from '../../render/format.ts'
import type { Coverage, Methodology } from '../../render/result-parts.ts'

export const METHODOLOGY = 'How these figures are calculated'
export const FUNNEL = 'From records read to incidents included'
export const ALTERNATIVES = 'The same incidents under alternative definitions'

/** Returns a text such as `; missing: 3 Aug 00:00 – 6 Aug 00:00`, which lists the first three gaps. */
export function missingText({ gaps }: Coverage, context: FormatContext): string {
  const time = (text: string) => plain(format(text, 'time', context))
  const named = gaps.slice(0, 3).map(({ from, to }) => `${time(from)} – ${time(to)}`)
  const more = gaps.length - named.length
  return named.length === 0
    ? ''
    : `; missing: ${named.join(', ')}${more > 0 ? ` and ${more} more ${more === 1 ? 'gap' : 'gaps'}` : ''}`
}

/** Adds to the rules what depends on the report. @param comparisons number of figures that were compared */
export function ruleTexts(rules: Methodology['rules'], comparisons: number): Methodology['rules'] {
  const more: Record<string, string> = {
    Color: ` ${byChance(comparisons)}`,
    'Custom definitions': ', from the configuration',
  }
  return rules.map(({ term, text }) => ({ term, text: `${text}${more[term] ?? ''}` }))
}

function byChance(count: number): string {
  const chance = count === 1 ? 'one in 100' : `about ${count} in 100`
  return `This page makes ${count} such ${count === 1 ? 'comparison' : 'comparisons'}. Without any real change, ${chance} such pages would show a colored result by chance.`
}

const definitions: Record<string, string> = {
  time_to_ack: 'time to acknowledge',
  exclude: 'acknowledged incidents',
  close_counts: 'a close counts as acknowledgement',
  first_action: 'first action of a person',
  handled_by_people: 'handled by a person',
}

/** Names a time, or one of its definitions. */
export function definitionWords(name: string): string {
  return definitions[name] ?? name.replaceAll('_', ' ')
}
