import { ConfigError, ReportError } from '../errors.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { Parameters } from './parse/parameters.ts'
import type { Report } from './parse/parse.ts'
import type { Tell } from './parse/report-errors.ts'
import { pickSeverities } from './scope/report-filters.ts'

/** Reports a severity that is neither in the API document nor in any incident, because its report would be empty. */
export async function checkSeverities(
  session: Session,
  { paramsAt }: Report,
  { severities }: Parameters,
  tell: Tell,
): Promise<void> {
  try {
    await pickSeverities(session, severities)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    tell(new ReportError(cause.message, paramsAt, { cause, next: cause.next }))
  }
}
