import { type Choices, choicesOf } from '../../definitions/rule-placeholders.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'

/** The choices of the configuration that figures follow. */
export interface Policies {
  /** What counts as an acknowledgement. */
  ack: 'exclude' | 'close_counts' | 'first_action'
  /** Which incidents belong to a period. */
  cohort: 'started' | 'closed'
  /** All that sentences speak of. */
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
