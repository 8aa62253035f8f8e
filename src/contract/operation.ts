import type { z } from 'zod'
import { type Tolerant, tolerant } from './tolerant.ts'

export const PERMISSIONS = [
  'incident view (on-call)',
  'incident management (on-call)',
  'channel view (on-call)',
  'channel management (on-call)',
  'schedule view (on-call)',
  'schedule management (on-call)',
  'service calendar management (on-call)',
  'template management (on-call)',
  'alert rule management (monit)',
  'role management (organization)',
] as const
export type Permission = (typeof PERMISSIONS)[number]

export interface Operation<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  /** The path without its first slash, e.g. `incident/list`. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly summary: string
  /** A key needs one of these. With an empty list, any valid key is enough. */
  readonly permissions: readonly Permission[]
  /** Whether the service records the operation in the account's audit log. */
  readonly audited: boolean
  readonly writes: boolean
  /** Body of a POST, or query parameters of a GET. `null` means absent. Unknown fields are dropped. */
  readonly request: Request
  /** `data` of a successful response, as documented. Unknown fields are kept. */
  readonly response: Response
  /** Like `response`, but most fields can be missing. */
  readonly tolerated: z.ZodType<Tolerant<z.output<Response>>>
}

/** Describes one operation. By default, it is a POST that needs no permission, is not audited and only reads. */
export function operation<const Name extends string, Request extends z.ZodType, Response extends z.ZodType>(
  name: Name,
  facts: Pick<Operation<Request, Response>, 'summary' | 'request' | 'response'> &
    Partial<Pick<Operation, 'method' | 'permissions' | 'audited' | 'writes'>>,
) {
  const { method = 'POST', permissions = [], audited = false, writes = false, ...rest } = facts
  const path = `/${name}` as const
  const tolerated = tolerant(facts.response)
  return { name, path, method, permissions, audited, writes, tolerated, ...rest } satisfies Operation<
    Request,
    Response
  >
}
