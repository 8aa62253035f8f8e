/** A moment that never comes. Compares as later than every clock. */
export const NEVER = 0xffff_ffff

/** What may happen to an incident after it was created. */
export const LATER = [
  'ack',
  'unack',
  'reack',
  'snooze',
  'recover',
  'close',
  'reopen',
  'ack2',
  'close2',
  'edit',
  'text',
  'linked',
  'deleted',
  'purged',
] as const
const MOMENTS = ['start', 'created', ...LATER] as const
const SMALL = ['channel', 'service', 'check', 'closer', 'creator', 'alerts', 'events'] as const
const FLAGS = ['fate', 'severity', 'edited', 'muted', 'shared'] as const

type Moments = Record<(typeof MOMENTS)[number], Uint32Array>
type Small = Record<(typeof SMALL)[number], Uint16Array>
type Flags = Record<(typeof FLAGS)[number], Uint8Array>

/**
 * The stories of all incidents, a column each: when each thing happens (Unix seconds, NEVER when it does not) and
 * the few facts that are not told again from the seed. About 85 bytes an incident.
 */
export interface StoryTable extends Moments, Small, Flags {
  capacity: number
}

/** An empty table with room for `capacity` stories. */
export function storyTable(capacity: number): StoryTable {
  // Made at once: an object that gets so many properties one by one becomes slow to read, and each incident reads sixty.
  return Object.fromEntries<unknown>([
    ['capacity', capacity],
    ...MOMENTS.map((name) => [name, new Uint32Array(capacity)] as const),
    ...SMALL.map((name) => [name, new Uint16Array(capacity)] as const),
    ...FLAGS.map((name) => [name, new Uint8Array(capacity)] as const),
  ]) as unknown as StoryTable
}

/** Makes room for at least one more story than `capacity`, in place. */
export function grow(table: StoryTable): void {
  const capacity = Math.ceil(table.capacity * 1.5) + 1_024
  const larger = storyTable(capacity)
  for (const name of MOMENTS) larger[name].set(table[name])
  for (const name of SMALL) larger[name].set(table[name])
  for (const name of FLAGS) larger[name].set(table[name])
  Object.assign(table, larger)
}
