import { otherProgram } from '../support/other-program.ts'

/** Statements that another client runs on the published file. Their changes never happened at the service. */
const WRITES = [
  "update incidents set incident_severity = 'Critical', title = 'changed by another client' where hash(incident_id) % 9 = 0",
  'delete from incidents where hash(incident_id) % 11 = 0',
  "update members set member_name = 'changed by another client' where member_id % 5 = 0",
]

export async function writeAndDie(path: string): Promise<void> {
  const other = await otherProgram(path, ...WRITES)
  await other.kill()
}

/** Simulates another client that has a file open for writing until the returned function is called. */
export async function holdOpen(path: string): Promise<() => Promise<void>> {
  const other = await otherProgram(path)
  return other.kill
}
