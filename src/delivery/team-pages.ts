import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import { type IndexTeam, toPageList } from '../render/to-index.ts'
import type { KnownTeam } from '../report/scope/chosen.ts'
import { folderName, hashOf, sameFolder } from './folder-name.ts'
import { presentPages } from './present-pages.ts'
import { isSameTeam, settleAddresses, type TeamAddress } from './team-addresses.ts'

/** What has pages of its own, each in a folder: teams, or the values of a dimension, which are placed by the same rule. */
export interface Shelf {
  /** In the folder of reports; beside it a file, `.teams.json`, remembers who has pages, and where those lie and lay. */
  readonly folder: string
  readonly title: string
  /** Above the pages that an address leads on to: of several who share it, and of one who has another. */
  readonly leads: { readonly several: string; readonly one: string }
}

const TEAMS: Shelf = {
  folder: 'teams',
  title: 'Teams',
  leads: {
    several: 'Several teams are or were called alike. Their pages:',
    one: 'The pages of this team have another address now:',
  },
}
const bookOf = ({ folder }: Shelf) => `.${folder}.json`
const INDEX = 'index.html'

/** A team in the book. Before teams had numbers there, it was a name and its page only. */
interface Written {
  readonly team: string
  /** Address of its index, seen from the folder of reports. */
  readonly page: string
  readonly account?: string
  readonly account_name?: string | null
  readonly ids?: readonly string[]
  readonly former?: readonly string[]
}

/** Where a team's pages lie. */
export function teamFolder(out: string, { folder }: Pick<TeamAddress, 'folder'>, shelf = TEAMS): string {
  return join(out, shelf.folder, folder)
}

/** Where the pages of several teams together lie, in whatever order they are named: the folder of no team. */
export function teamsFolder(out: string, names: readonly string[]): string {
  const sorted = [...names].sort()
  return join(out, TEAMS.folder, `${folderName(sorted.join(' '))}_x${hashOf(JSON.stringify(sorted))}`)
}

/**
 * Gives these teams their addresses, beside those that the folder of reports remembers, and remembers them. The pages of a team
 * that gets another folder go with it, and its former address becomes a page that leads there.
 * @throws the file system's error
 */
export function placeTeams(out: string, teams: readonly KnownTeam[], shelf = TEAMS): TeamAddress[] {
  const known = addressesIn(out, shelf)
  const addresses = settleAddresses(known, teams)
  for (const before of known) {
    const same = addresses.filter((one) => isSameTeam(one, before))
    const now = same.find(({ name }) => name === before.name) ?? same[0]
    if (now?.folder === before.folder) continue
    const claimants = addresses.filter(({ former }) => former.includes(before.folder))
    // Of an address without a number nobody knows which of several teams wrote what.
    const isSure = before.account !== '' || claimants.length === 1
    clear(teamFolder(out, before, shelf), isSure && now ? teamFolder(out, now, shelf) : null)
  }
  const book = addresses.map((one) => written(one, shelf)).sort(byPage)
  replaceFile(join(out, bookOf(shelf)), `${JSON.stringify(book, null, 2)}\n`)
  pointOn(out, addresses, shelf)
  return addresses
}

/** Takes a team's pages away from a folder: to its new one, or for good. Their names stay, for `pointOn` to lead on from. */
function clear(from: string, to: string | null): void {
  const names = pagesIn(from)
  if (to !== null && existsSync(from) && !existsSync(to)) renameSync(from, to)
  for (const page of names) {
    for (const end of ['.json', '.pdf', '.png', '']) {
      rmSync(join(from, page.replace(/\.html$/, end)), { recursive: true, force: true })
    }
    replaceFile(join(from, page), '')
  }
}

/** Makes the pages at addresses that no team has any more: each names the teams that one may look for there. */
export function pointOn(out: string, addresses: readonly TeamAddress[], shelf = TEAMS): void {
  for (const left of new Set(addresses.flatMap(({ former }) => former))) {
    const folder = teamFolder(out, { folder: left }, shelf)
    const teams = addresses.filter(({ former }) => former.some((one) => sameFolder(one) === sameFolder(left)))
    for (const page of new Set([...pagesIn(folder), INDEX])) {
      const entries = teams.flatMap((one) => {
        const target = [page, INDEX].find((name) => existsSync(join(teamFolder(out, one, shelf), name)))
        const title = labelOf(one, teams)
        return target
          ? [
              {
                page: `../${encodeURIComponent(one.folder)}/${encodeURIComponent(target)}`,
                title,
                description: '',
              },
            ]
          : []
      })
      const lead = teams.length > 1 ? shelf.leads.several : shelf.leads.one
      replaceFile(join(folder, page), toPageList(shelf.title, entries, lead))
    }
  }
}

function pagesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.html')) : []
}

/** The teams with pages of their own, by name, for the index of all reports; none where that is not to be read. */
export function teamsOf(out: string): IndexTeam[] {
  const addresses = addressesIn(out)
  return addresses
    .map((one) => ({
      team: labelOf(one, addresses),
      page: pageOf(one),
      summaries: presentPages(teamFolder(out, one)).map(({ summary }) => summary),
    }))
    .filter(({ page }) => existsSync(join(out, decodeURIComponent(page))))
    .sort((a, b) => a.team.localeCompare(b.team, 'en'))
}

/**
 * The address of a team's pages, from the folder of reports; where several of these teams bear the name, of the page that names
 * them. Null for none of them.
 */
export function pageOfTeam(addresses: readonly TeamAddress[], name: string): string | null {
  const [one, ...others] = addresses.filter((each) => each.name === name)
  if (!one) return null
  return pageOf(others.length === 0 ? one : { folder: folderName(name) })
}

function pageOf({ folder }: Pick<TeamAddress, 'folder'>, shelf = TEAMS): string {
  return [shelf.folder, folder, INDEX].map(encodeURIComponent).join('/')
}

/** A team's name, and what tells it from others that people could take for it. */
function labelOf(team: TeamAddress, all: readonly TeamAddress[]): string {
  const alike = all.filter(({ name }) => sameFolder(folderName(name)) === sameFolder(folderName(team.name)))
  if (alike.length < 2) return team.name
  const number = team.ids.length > 0 ? `team ${team.ids.join(', ')}` : null
  const facts = [number, team.accountName].filter((fact) => fact !== null)
  return facts.length > 0 ? `${team.name} (${facts.join(', ')})` : team.name
}

/** What the folder of reports remembers. An entry that is damaged is left out: its folder is renamed and removed by its name. */
function addressesIn(out: string, shelf = TEAMS): TeamAddress[] {
  let book: unknown
  try {
    book = JSON.parse(readFileSync(join(out, bookOf(shelf)), 'utf8'))
  } catch {
    return []
  }
  return Array.isArray(book)
    ? book.flatMap((one) => addressIn(one as Partial<Written> | null, shelf) ?? [])
    : []
}

const SAFE = /^[\p{L}\p{M}\p{N}_-]+$/u

function addressIn(entry: Partial<Written> | null, shelf: Shelf): TeamAddress | undefined {
  const { team, page, account = '', account_name = null, ids = [], former = [] } = entry ?? {}
  const [shelved, folder, index, ...more] = String(page).split('/')
  if (shelved !== shelf.folder || index !== INDEX || more.length > 0) return undefined
  try {
    const address = {
      name: team,
      account,
      accountName: account_name,
      ids,
      folder: decodeURIComponent(folder ?? ''),
      former,
    }
    return isAddress(address) ? address : undefined
  } catch {
    return undefined
  }
}

function isAddress(one: { [Field in keyof TeamAddress]: unknown }): one is TeamAddress {
  const isText = (value: unknown) => typeof value === 'string'
  const { name, account, accountName, ids, folder, former } = one
  return (
    [name, account, accountName ?? '', folder].every(isText) &&
    [ids, former].every((list) => Array.isArray(list) && list.every(isText)) &&
    [folder, ...(former as string[])].every((each) => SAFE.test(String(each)))
  )
}

function written(one: TeamAddress, shelf: Shelf): Written {
  const { name, account, accountName, ids, former } = one
  return { team: name, page: pageOf(one, shelf), account, account_name: accountName, ids, former }
}

function byPage(a: Written, b: Written): number {
  return a.page < b.page ? -1 : 1
}
