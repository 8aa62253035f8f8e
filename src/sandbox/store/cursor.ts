/** A place in the list: the last incident that was given. */
export interface Position {
  startTime: number
  incidentId: string
}

/** Writes the place as an opaque string. It names no row number, so it stays right when rows come and go. */
export function writeCursor({ startTime, incidentId }: Position): string {
  return Buffer.from(`${startTime}.${incidentId}`).toString('base64url')
}

/** Reads a cursor, or undefined when it is none of ours. */
export function readCursor(cursor: string): Position | undefined {
  const match = /^(-?\d{1,15})\.([0-9a-fA-F]{24})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return undefined
  return { startTime: Number(match[1]), incidentId: match[2]! }
}
