import { expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { reportOn } from '../page/company-report.ts'
import { company } from '../page/odd-worlds.ts'
import { linesOf } from '../page/stated-figures.ts'
import { withObjectives } from '../support/objectives.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld } from './finding-worlds.ts'

/** The team `slow` acknowledges 55% of its incidents in time, but its median is that of the other teams. */
const share = { early: 9, other: 9, slow: 5.5 }
const behind = company(
  Object.entries(share).flatMap(([team, part]) =>
    Array.from({ length: 364 }, (_, place) => ({
      ...{ ago: place / 2 + 0.5, team, severity: 'Warning', close: 10_000 },
      ack: (place * 7) % 20 < 2 * part ? 60 : 7_200,
    })),
  ),
)
const leadOn = async (content: Parameters<typeof inhabit>[1], settings: Settings, team?: string) => {
  const file = await warehouseFile((connection) => inhabit(connection, content))
  const options = { settings, timezone: 'UTC', ...(team !== undefined && { team }) }
  return linesOf(await reportOn(file, 'reports/mtta-mttr.md', options))
}

test('a team is behind the others only within a target for which the company set an objective', async () => {
  const said = /^slow acknowledges \d+% of its incidents within target; the other teams 90%/
  expect(await leadOn(behind, withObjectives)).toContainEqual(expect.stringMatching(said))
  expect((await leadOn(behind, defaultSettings)).join('\n')).not.toContain('within target')
})

test('without objectives, a slow team is named by its median and the range of the other teams', async () => {
  const { content } = findingWorld('a slow team', 4)
  const [first] = await leadOn(content, defaultSettings)
  expect(first).toMatch(/^\w+ takes \d+\smin to acknowledge; the other teams [\d–]+\smin, all along\.$/)
  // The report about a team compares it with the teams that it leaves out, and says the same.
  const [slow, other] = [first!.split(' ')[0]!, first!.startsWith('Search') ? 'Data' : 'Search']
  expect(await leadOn(content, defaultSettings, slow)).toContain(first)
  expect((await leadOn(content, defaultSettings, other)).join('\n')).not.toMatch(/ takes | the other teams /)
})
