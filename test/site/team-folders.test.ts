import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { replaceFile } from '../../src/effects.ts'
import { notePage } from '../../src/site/current-pages.ts'
import { teamsWithPages } from '../../src/site/team-folders.ts'
import { folderOfEachTest } from '../support/folder.ts'
import { sample } from '../support/report-result.ts'

const out = folderOfEachTest()

/** Writes the page of a team, with the name that the team had then. */
function write(folder: string, teams: string, accounts: string | null = null, name = 'mtta', asOf = 1) {
  const { frame } = sample()
  const at = new Date(Date.UTC(2026, 0, asOf))
  const result = sample({ name, frame: { ...frame, teams, accounts, asOfInstant: at } })
  replaceFile(join(out(), 'teams', folder, `${name}.html`), teams)
  replaceFile(join(out(), 'teams', folder, 'index.html'), teams)
  notePage(join(out(), 'teams', folder), name, result)
}

const listed = () => teamsWithPages(out()).map(({ team, page }) => `${page} ${team}`)

describe('the teams in the index', () => {
  test('are labeled with the name on their newest page, and with the account if names collide', () => {
    write('12', 'Payments', null, 'mtta', 1)
    write('12', 'Billing', null, 'trend', 2)
    write('13', 'Search', 'EMEA')
    write('13-8', 'Search', 'APAC')
    expect(listed()).toEqual([
      'teams/12/index.html Billing',
      'teams/13-8/index.html Search (APAC)',
      'teams/13/index.html Search (EMEA)',
    ])
  })

  test('exclude folders that are not pages of a single team', () => {
    write('a-b_x123456', 'a, b')
    write('payments', 'Payments')
    replaceFile(join(out(), 'teams', '14', 'index.html'), '')
    replaceFile(join(out(), 'teams', '15', 'mtta', 'summary.json'), '{"summary":{"teams":4}}')
    expect(listed()).toEqual([])
  })
})
