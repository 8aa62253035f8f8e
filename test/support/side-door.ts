/** Sends a request to a control endpoint of a sandbox: a POST if there is a body, otherwise a GET. */
export function sideDoor(baseUrl: string, name: string, body?: unknown): Promise<Response> {
  const init =
    body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
  return fetch(`${baseUrl}/_sandbox/${name}`, { ...init, headers: { 'Sec-Faultline-Sandbox': '1' } })
}
