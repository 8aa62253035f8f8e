import { type OperationName, operations } from '../../src/contract/index.ts'

/** Checks a response against the OpenAPI document. @throws Error with the first five places that do not match */
export function expectPromised(path: string, data: unknown): void {
  const result = operations[path.slice(1) as OperationName].response.safeParse(data)
  if (result.success) return
  const issues = result.error.issues.map(({ path: place, message }) => `${place.join('.')}: ${message}`)
  throw new Error(`${path} does not answer as promised: ${issues.slice(0, 5).join('; ')}`)
}
