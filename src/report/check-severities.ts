import { ConfigError, ReportError } from '../errors.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { Parameters } from './parse/parameters.ts'
import type { Report } from './parse/parse.ts'
import { pickSeverities } from './scope/report-filters.ts'

/** Reports a severity that neither the API document nor any incident has. Such a report would be empty. */
export async function checkSeverities(
  session: Session,
  { paramsAt }: Report,
  { severities }: Parameters,
  tell: (mistake: ReportError) => void,
): Promise<void> {
  try {
    await pickSeverities(session, severities)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    tell(new ReportError(cause.message, paramsAt, { cause, ...(cause.next ? { next: cause.next } : {}) }))
  }
}
