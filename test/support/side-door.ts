/**
 * Sends a request to a control endpoint of a sandbox. With a body (JSON text, or a value for it) it is a POST.
 * @param baseUrl address of the sandbox
 */
export function sideDoor(baseUrl: string, name: string, body?: unknown): Promise<Response> {
  const init =
    body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
  return fetch(`${baseUrl}/_sandbox/${name}`, { ...init, headers: { 'Sec-Faultline-Sandbox': '1' } })
}
