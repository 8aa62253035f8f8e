import { expect, test } from 'vitest'
import { happening } from './small-company.ts'

const { happen, insert, rows } = happening()

test('a team named “(all)” is shown with its id, and is not confused with the total row', async () => {
  const names = ['(all)', '(unknown)', '(no channel)', '(other)', 'Payments']
  await insert(
    'teams',
    names.map((team_name, index) => ({ team_id: index + 1, team_name })),
  )
  await insert(
    'channels',
    names.map((channel_name, index) => ({ channel_id: index + 1, team_id: index + 1, channel_name })),
  )
  await happen([1, 2, 3, 4, 5, 0, 9].map((channel_id) => ({ channel_id, channel_name: '(all)' })))
  const shown = await rows('select team_name, channel_name from incident_times order by incident_id')
  expect(shown.map((row) => [row.team_name, row.channel_name])).toEqual([
    ['(all) (1)', '(all) (1)'],
    ['(unknown) (2)', '(unknown) (2)'],
    ['(no channel) (3)', '(no channel) (3)'],
    ['(other) (4)', '(other) (4)'],
    ['Payments', 'Payments'],
    ['(no channel)', '(no channel)'],
    ['(unknown)', '(all) (9)'],
  ])
  expect(
    await rows("from acknowledgement() where team_name = '(all)' and incident_severity = '(all)'"),
  ).toHaveLength(1)
})

test('two teams with the same name are shown with their ids and counted separately', async () => {
  await insert(
    'teams',
    [11, 12].map((team_id) => ({ team_id, team_name: 'Platform' })),
  )
  await insert(
    'channels',
    [1, 2].map((channel_id) => ({ channel_id, team_id: 10 + channel_id, channel_name: 'alerts' })),
  )
  await happen([1, 1, 2].map((channel_id) => ({ channel_id })))
  expect(
    await rows('select team_id, team_name, count(*)::int as n from incident_times group by all order by all'),
  ).toEqual([
    { team_id: 11, team_name: 'Platform (11)', n: 2 },
    { team_id: 12, team_name: 'Platform (12)', n: 1 },
  ])
})
