import { folderName, hashOf, isFolderName, sameFolder } from './folder-name.ts'

/** The folder of each value of a dimension: its name, with a part of its hash where another would have the same. */
export function valueFolders(values: readonly string[]): { name: string; folder: string }[] {
  const count = new Map<string, number>()
  for (const value of values) {
    const plain = sameFolder(folderName(value))
    count.set(plain, (count.get(plain) ?? 0) + 1)
  }
  return values.map((name) => {
    const plain = folderName(name)
    const isOwn = count.get(sameFolder(plain)) === 1 && isFolderName(plain)
    return { name, folder: isOwn ? plain : `${plain}_x${hashOf(name)}` }
  })
}

/** The folder of chosen values, below the folder of reports: `service/checkout`; of several together one of their own. */
export function chosenFolder(chosen: Readonly<Record<string, readonly string[]>>): string {
  const all = Object.entries(chosen).sort(([a], [b]) => (a < b ? -1 : 1))
  const [[dimension, values] = ['', []]] = all
  if (all.length === 1 && values.length === 1) return `${dimension}/${folderName(values[0]!)}`
  const text = all.map(([name, some]) => `${name} ${[...some].sort().join(' ')}`).join(' ')
  return `${all.map(([name]) => name).join('-')}/${folderName(text)}_x${hashOf(JSON.stringify(all))}`
}
