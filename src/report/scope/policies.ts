import { type Choices, choicesOf } from '../../definitions/rule-placeholders.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'

/** Policies from the configuration that decide what figures count. */
export interface Policies {
  ack: 'exclude' | 'close_counts' | 'first_action'
  cohort: 'started' | 'closed'
  choices: Choices
}

export async function policiesOf(session: Session): Promise<Policies> {
  const choices = await choicesOf(parserOn(session))
  return {
    ack: (choices.policies.get('ack') ?? 'exclude') as Policies['ack'],
    cohort: (choices.policies.get('cohort') ?? 'started') as Policies['cohort'],
    choices,
  }
}
