import { int64In } from './int64.ts'

/** The last second of the year 9999. */
const MAX = 253_402_300_799

/** Unix seconds; 0 means not set, still active or not closed. */
export const unixSeconds = int64In(0, MAX)
