import { folderName, hashOf } from './folder-name.ts'
import type { TeamAddress } from './team-addresses.ts'
import { placeTeams, pointOn, type Shelf, teamFolder } from './team-pages.ts'

/** Where the pages of values of a dimension lie: by the rule of teams, so that those which differ only by case share none. */

const shelfOf = (dimension: string): Shelf => ({
  folder: dimension,
  title: `By ${dimension}`,
  leads: {
    several: 'Several of these are or were called alike. Their pages:',
    one: 'These pages have another address now:',
  },
})

/** Gives each value of a dimension a folder of its own, `checkout`, and remembers it. @param values all that there are */
export function placeValues(out: string, dimension: string, values: readonly string[]): TeamAddress[] {
  const known = values.map((name) => ({ name, account: dimension, accountName: null, ids: [] }))
  const placed = placeTeams(out, known, shelfOf(dimension))
  return values.map((name) => placed.find((one) => one.name === name)!)
}

/** Makes the pages at addresses that no value has any more. */
export function pointOnValues(out: string, dimension: string, addresses: readonly TeamAddress[]): void {
  pointOn(out, addresses, shelfOf(dimension))
}

/** The folder of a value's pages. */
export function valueFolder(out: string, dimension: string, address: Pick<TeamAddress, 'folder'>): string {
  return teamFolder(out, address, shelfOf(dimension))
}

/** The folder of several values together, or of those of several dimensions: one of their own, below the folder of reports. */
export function chosenFolder(chosen: Readonly<Record<string, readonly string[]>>): string {
  const all = Object.entries(chosen).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = all.map(([name, some]) => `${name} ${[...some].sort().join(' ')}`).join(' ')
  return `${all.map(([name]) => name).join('-')}/${folderName(text)}_x${hashOf(JSON.stringify(all))}`
}
