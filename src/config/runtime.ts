import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where the runs of a user on this machine meet that share an account's rate limits. Neither TMPDIR nor XDG_RUNTIME_DIR
 * is asked: cron has none of them, and a run it starts would not meet one that is started by hand.
 */
export function defaultRuntime(): string {
  const uid = process.getuid?.()
  return uid === undefined ? join(tmpdir(), 'faultline') : `/tmp/faultline-${uid}`
}
