/** Returns the value of `--name=value` on the command line, or `usual` without that option. */
export function option(name: string, usual: string): string {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`))
  return given?.slice(name.length + 3) ?? usual
}

export function round(value: number): number {
  return Math.round(value * 100) / 100
}
