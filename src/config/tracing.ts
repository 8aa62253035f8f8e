/** Whether somebody wants traces: OpenTelemetry is configured by variables of its own. */
export function isTraced(environment = process.env): boolean {
  return Object.keys(environment).some((name) => name.startsWith('OTEL_'))
}
