const DAY = 86_400_000

/** How much of earlier outputs is kept; without limits everything is. */
export interface Retention {
  readonly days?: number | undefined
  readonly runs?: number | undefined
}

/**
 * The outputs of one kind that are no longer kept: older than `days`, or not among the newest `runs`. The newest one
 * stays whatever its age. `at` is Unix ms.
 */
export function expired<Output extends { readonly at: number }>(
  outputs: readonly Output[],
  { days, runs }: Retention,
  now: number,
): Output[] {
  return [...outputs]
    .sort((a, b) => b.at - a.at)
    .filter(
      ({ at }, index) =>
        index > 0 && ((days !== undefined && now - at > days * DAY) || (runs !== undefined && index >= runs)),
    )
}
