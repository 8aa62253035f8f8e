import type { Company } from '../company.ts'
import type { Judge } from '../judge.ts'
import type { Past } from '../receiver.ts'

/** Figures of a past month may change only if the report explains the change and names incidents that did change. */
export function restated(): Judge {
  let said: Past[] = []
  return {
    name: 'restated',
    promise: 'every change of a published figure is explained',
    async look({ delivery, company, isRestored }) {
      // The restored backup does not contain the reports that were made after it.
      if (isRestored) said = []
      if (delivery === undefined || delivery.past.asOf === '') return []
      const { past } = delivery
      // Compares with the last report of this month that was based on older data.
      const before = said.findLast(({ month, asOf }) => month === past.month && asOf < past.asOf)
      said.push(past)
      return before === undefined ? [] : unexplained(before, past, company)
    },
  }
}

function unexplained(before: Past, now: Past, company: Company): string[] {
  const told = now.restated?.figures ?? []
  const problems = told
    .filter(({ label }) => before.figures.get(label) === now.figures.get(label))
    .map(({ label }) => `${label} of ${now.month} is the same, and is said to have changed`)
  for (const [label, value] of now.figures) {
    const was = before.figures.get(label)
    const change = `${label} of ${now.month} was ${was}, is ${value}`
    const reasons = told.find((figure) => figure.label === label)?.reasons
    if (was === value) continue
    if (reasons === undefined) problems.push(`${change}, without a word`)
    else if (reasons.some(({ incidents }) => incidents === 0))
      problems.push(`${change}, and no incident explains it`)
    else
      problems.push(
        ...reasons
          .filter(({ reason }) => OF_CONTENT.test(reason))
          .flatMap(({ reason, examples }) =>
            examples
              .filter((number) => !hasChanged(company, number))
              .map((number) => `${change}, "${reason}: ${number}", which never changed`),
          ),
      )
  }
  return problems
}

/** Explanations that describe a change of the incident itself. */
const OF_CONTENT = /^(with a different|closed since|reopened|deleted|moved (into|out of) the period)/

/** Whether an incident whose id ends in `number` ever changed. */
function hasChanged({ incidents }: Company, number: string): boolean {
  const ids = [...incidents.ids()].filter((id) => id.slice(-6).toUpperCase() === number)
  return ids.some(
    (id) => incidents.between(id, 0, Number.POSITIVE_INFINITY).filter(({ record }) => record).length > 1,
  )
}
