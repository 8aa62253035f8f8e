import { createHash } from 'node:crypto'
import { join } from 'node:path'

/**
 * The folder that pages go to: the one that was named, else the configured one. Those of chosen teams have a folder of
 * their own in it, `teams/payments`, so that they do not replace the pages of all teams.
 */
export function outFolder(configured: string, { out, team }: { out?: string; team?: string }): string {
  if (out !== undefined) return out
  return team === undefined || team === 'all' ? configured : teamFolder(configured, team)
}

/** The folder of a team's own pages. */
export function teamFolder(out: string, team: string): string {
  return join(out, 'teams', folderName(team))
}

/** The address of a team's own pages, from the folder of reports. */
export function teamPage(team: string): string {
  return `teams/${encodeURIComponent(folderName(team))}/index.html`
}

/** The folder of an account's own pages. Accounts may share a name, and no number. */
export function accountFolder({ id, name }: { id: string; name: string }): string {
  return id === name ? id : `${folderName(name)}-${id}`
}

/** Letters, digits and hyphens; with a part of its hash where that is not the whole name, since others may look alike. */
function folderName(team: string): string {
  const spaced = team.normalize('NFC').toLowerCase().trim().replace(/ +/g, '-')
  const name = spaced
    .replace(/[^\p{L}\p{M}\p{N}-]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  if (name === spaced) return name
  return [name, createHash('sha256').update(team).digest('hex').slice(0, 6)].filter(Boolean).join('-')
}
