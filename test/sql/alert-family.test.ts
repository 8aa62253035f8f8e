import { describe, expect, test } from 'vitest'
import { quoteLiteral } from '../../src/definitions/quote.ts'
import { defined } from './defined.ts'

const { one } = defined()

async function familyOf(title: string) {
  return (await one(
    `select family, alert_family_name(family) as name from (select alert_family(${quoteLiteral(title)}) as family)`,
  )) as { family: string; name: string }
}

describe('an alert family', () => {
  test.each([
    ['Host 10.0.0.12:8080 unreachable at 2026-10-03T04:05:06Z', 'Host … unreachable at …'],
    ['pod kyc-check-7f9c4b restarted 5 times', 'pod kyc-check-… restarted … times'],
    ['p99 latency above 1650 ms, s3 5xx errors 22%', 'p99 latency above …, s3 5xx errors …'],
    ['queue has 447k messages', 'queue has … messages'],
    ['job 550e8400-e29b-41d4-a716-446655440000 failed', 'job … failed'],
    ['backup did not start at 02:30', 'backup did not start at …'],
    ['Memory 1.5 GiB in eu-west-1a and europe-west1-b', 'Memory … in … and …'],
    ['pods db-4711 and db-7f9c restarted', 'pods db-… and db-… restarted'],
    ['disk at 85 %, 3.5 GB left', 'disk at …, … left'],
    ['temp -3.5 °C, queue +12%', 'temp … °C, queue …'],
    ['web01 is down', 'web01 is down'],
    ['certificate expires in 1 day', 'certificate expires in …'],
    ['certificate expires in 13 days', 'certificate expires in …'],
    ['no data for 1 hour, 2 minutes', 'no data for …, …'],
    ['Facade decade added', 'Facade decade added'],
    ['', ''],
  ])('replaces the variable parts of a title: %j becomes %j', async (title, family) => {
    expect(await familyOf(title)).toMatchObject({ family })
  })

  test.each([
    ['shipment-tracker p99 latency above 2800 ms in us-west-2', 'shipment-tracker p99 latency'],
    ['Replica of ledger-writer lags 1832 s behind its primary', 'Replica of ledger-writer lags'],
    ['ledger-writer is 400 messages behind', 'ledger-writer is … messages behind'],
    ['Nightly run of ledger-writer', 'Nightly run of ledger-writer'],
    ['12 of 40 hosts', '… of … hosts'],
  ])('has a short name: %j is named %j', async (title, name) => {
    expect(await familyOf(title)).toMatchObject({ name })
  })
})
