import type { KnownTeam } from '../report/scope/chosen.ts'
import { folderName, hashOf, isFolderName, sameFolder } from './folder-name.ts'

/** Where a team's pages lie, and where they lay. */
export interface TeamAddress extends KnownTeam {
  /** In the folder `teams`. */
  readonly folder: string
  /** Folders where somebody may look for it: those it had before, and the one that it would have if no other team had been called alike. */
  readonly former: readonly string[]
}

/**
 * Gives each team a folder of its own. The plain one, such as `payments`, belongs to the only team that ever had it; those that
 * share it, now or over time, get theirs with their number, `payments_12`, and nobody has the plain one any more.
 * @param known the addresses given so far, also of teams that are no more
 * @param teams those of now; a team that is known by a number keeps what it had, whatever it is called now
 */
export function settleAddresses(known: readonly TeamAddress[], teams: readonly KnownTeam[]): TeamAddress[] {
  const holders = identified(known, teams)
  const claimants = new Map<string, number>()
  for (const holder of holders) {
    for (const claim of new Set(claimsOf(holder).map(sameFolder)))
      claimants.set(claim, (claimants.get(claim) ?? 0) + 1)
  }
  const isOfMany = new Set(holders.map(({ account }) => account)).size > 1
  const placed = holders.map((holder) => {
    const plain = folderName(holder.name)
    const isOwn = claimants.get(sameFolder(plain)) === 1 && isFolderName(plain)
    return {
      ...holder,
      folder: isOwn ? plain : `${plain}_${numberOf(holder, isOfMany)}`,
      former: claimsOf(holder),
    }
  })
  const taken = new Set(placed.map(({ folder }) => sameFolder(folder)))
  return placed.map((one) => ({
    ...one,
    former: [...new Set(one.former)].filter((folder) => !taken.has(sameFolder(folder))).sort(),
  }))
}

/** A team that may have no folder yet. */
interface Holder extends KnownTeam {
  readonly folder: string | null
  readonly former: readonly string[]
}

/** Every folder that is a team's by what it is called, or was its before. */
function claimsOf({ name, folder, former }: Holder): string[] {
  return [folderName(name), ...(folder === null ? [] : [folder]), ...former]
}

/** Each team with what it had, and those known ones that are no team of now. */
function identified(known: readonly TeamAddress[], teams: readonly KnownTeam[]): Holder[] {
  const left = new Set(known)
  const found = new Map<KnownTeam, TeamAddress[]>()
  // A team that kept its name first: where two became one, or one two, it is the one that stays.
  for (const isSame of [
    (one: KnownTeam, other: KnownTeam) => isSameTeam(one, other) && one.name === other.name,
    isSameTeam,
  ]) {
    for (const team of teams) {
      const same = [...left].filter((other) => isSame(team, other))
      for (const other of same) left.delete(other)
      found.set(team, [...(found.get(team) ?? []), ...same])
    }
  }
  const present = teams.map((team) => {
    const before = found.get(team) ?? []
    const former = before.flatMap((one) => [one.folder, ...one.former])
    return { ...team, folder: before[0]?.folder ?? null, former }
  })
  return [...present, ...left]
}

/** Whether `other`, known before, is this team: by a number, or by its name where it has none. Of one without an account only the name was kept. */
export function isSameTeam(one: KnownTeam, other: KnownTeam): boolean {
  if (other.account === '') return one.name === other.name
  if (one.account !== other.account) return false
  if (one.ids.length === 0 || other.ids.length === 0)
    return one.ids.length === other.ids.length && one.name === other.name
  return one.ids.some((id) => other.ids.includes(id))
}

/** The team's number, the least where it has several; with that of its account where there are others, since each counts its own. */
function numberOf({ name, account, ids: [id = `x${hashOf(name)}`] }: KnownTeam, isOfMany: boolean): string {
  return isOfMany ? `${account}-${id}` : id
}
