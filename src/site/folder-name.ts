import { hashOf } from '../report/incidents/incident-selection.ts'

/**
 * Returns the letters, digits and hyphens of a name in lower case, at most 60. The result never contains `_` or `.` and may be empty;
 * several names may have the same one.
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
      // The first half of a character that was cut.
      .replace(/\p{Surrogate}$/u, '')
  )
}

/** Names that Windows reserves for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Returns the folder of a name that people chose: the name itself if every file system accepts it, else its plain form and a part of
 * its hash. No two names share a folder, and other names do not change it.
 */
export function folderName(name: string): string {
  const plain = plainName(name)
  return plain === name && plain !== '' && !DEVICE.test(plain)
    ? plain
    : [plain, hashOf(name)].filter(Boolean).join('_')
}

/** Returns the folder of several names together, in whatever order they are given. */
export function selectionFolder(text: string, selection: unknown): string {
  return `${plainName(text)}_x${hashOf(JSON.stringify(selection))}`
}
