import { createHash } from 'node:crypto'

/**
 * A folder's name for a name that people chose: its letters, digits and hyphens, in lower case; with a part of its hash where that
 * is not all of it. Names that are alike may share one: see `settleAddresses`. It never holds `_` or `.`.
 */
export function folderName(name: string): string {
  const spaced = name.normalize('NFC').toLowerCase().trim().replace(/ +/g, '-')
  const plain = spaced
    .replace(/[^\p{L}\p{M}\p{N}-]+|\p{Default_Ignorable_Code_Point}+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    // Half of a character, where it was cut.
    .replace(/\p{Surrogate}$/u, '')
  return plain === spaced && plain !== '' ? plain : [plain, hashOf(name)].filter(Boolean).join('-')
}

/** The same for all names that some file system takes for one: without regard to case, and however accents are written. */
export function sameFolder(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}

/** Names that Windows keeps for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/

/** Whether no file system refuses it. */
export function isFolderName(name: string): boolean {
  return !DEVICE.test(name)
}

/** Six hexadecimal digits that tell a name from others. */
export function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 6)
}
