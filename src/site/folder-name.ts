import { hashOf } from '../report/incidents/incident-selection.ts'

/** Reduces a name to at most 60 lower-case letters, digits and hyphens. The result can be empty and is not unique. */
export function plainName(name: string): string {
  return (
    name
      .normalize('NFC')
      .toLowerCase()
      .trim()
      .replace(/[^\p{L}\p{M}\p{N}-]+|\p{Default_Ignorable_Code_Point}+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60)
      // Cutting the name can leave half of a surrogate pair, which is removed here.
      .replace(/\p{Surrogate}$/u, '')
  )
}

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/

/** Returns the folder for a name. If some file systems would not accept the name, simplifies it and adds a hash. */
export function folderName(name: string): string {
  const plain = plainName(name)
  return plain === name && plain !== '' && !DEVICE.test(plain)
    ? plain
    : [plain, hashOf(name)].filter(Boolean).join('_')
}

/** Returns the folder for a selection of several names. Callers sort the names, so that their order has no effect. */
export function selectionFolder(text: string, selection: unknown): string {
  return `${plainName(text)}_x${hashOf(JSON.stringify(selection))}`
}
