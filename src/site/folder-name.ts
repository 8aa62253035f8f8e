import { hashOf } from '../report/incidents/incident-selection.ts'

/**
 * Returns the lower-case letters, digits and hyphens of a name, at most 60. The result never contains `_` or `.`. It may be
 * empty, and several names may have the same result.
 */
export function plainName(name: string): string {
  return (
    name
      .normalize('NFC')
      .toLowerCase()
      .trim()
      .replace(/[^\p{L}\p{M}\p{N}-]+|\p{Default_Ignorable_Code_Point}+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60)
      // Removes half of a truncated surrogate pair.
      .replace(/\p{Surrogate}$/u, '')
  )
}

/** Reserved device names of Windows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Returns a folder for a user-defined name. This is the name itself if every file system accepts it, otherwise its plain form
 * with a hash. Names never share a folder and do not affect each other.
 */
export function folderName(name: string): string {
  const plain = plainName(name)
  return plain === name && plain !== '' && !DEVICE.test(plain)
    ? plain
    : [plain, hashOf(name)].filter(Boolean).join('_')
}

/** Returns the folder of several names, independent of their order. */
export function selectionFolder(text: string, selection: unknown): string {
  return `${plainName(text)}_x${hashOf(JSON.stringify(selection))}`
}
