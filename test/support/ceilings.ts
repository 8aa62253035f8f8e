/** Maximum sizes of code. `above-ceilings.ts` lists larger code. */
export const ceilings = { files: 300, functions: 60, describes: 120, columns: 120 }

/** Returns each violation with a remedy. An entry in `list` allows a larger size, but must shrink with the code. */
export function against(
  list: Readonly<Record<string, number>>,
  found: readonly (readonly [name: string, size: number])[],
  ceiling: number,
  unit: string,
  remedy = 'split it by subject',
): string[] {
  const sizes = new Map<string, number>()
  for (const [name, size] of found) sizes.set(name, Math.max(size, sizes.get(name) ?? 0))
  const large = [...sizes].filter(([name, size]) => size > (list[name] ?? ceiling))
  const listed = Object.entries(list).map(([name, entry]) => [name, entry, sizes.get(name) ?? 0] as const)
  const where = 'in test/support/above-ceilings.ts'
  return [
    ...large.map(
      ([name, size]) => `${name} has ${size} ${unit}, may have ${list[name] ?? ceiling}: ${remedy}`,
    ),
    ...listed
      .filter(([, , size]) => size <= ceiling)
      .map(
        ([name]) =>
          `${name} is not above ${ceiling} ${unit}: take its entry out ${where} (or move it with its code)`,
      ),
    ...listed
      .filter(([, entry, size]) => size > ceiling && size < entry - 10)
      .map(([name, , size]) => `${name} has only ${size} ${unit}: write ${size} ${where}`),
  ]
}
