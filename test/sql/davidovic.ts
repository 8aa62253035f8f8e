/**
 * Štěpán Davidovič, Incident Metrics in SRE (2021): durations of incidents vary so much that a year of them does not tell
 * whether they became shorter. He split a year in two halves, made one of them better, and looked at their means.
 */

/** A company of the report: mean and standard deviation of the time to resolve, seconds, and incidents in a year. */
export interface Company {
  name: string
  mean: number
  sd: number
  incidents: number
}

const hours = (h: number, m: number) => h * 3600 + m * 60

export const companies: Company[] = [
  { name: 'A', mean: hours(2, 26), sd: hours(5, 16), incidents: 173 },
  { name: 'B', mean: hours(2, 31), sd: hours(5, 1), incidents: 103 },
  { name: 'C', mean: hours(4, 31), sd: hours(6, 53), incidents: 609 },
]

/** Two halves of a year, log-normal with the company's mean and deviation; the second is shorter by the part `gain`. */
export function drawHalves(company: Company, gain: number, random: () => number): [number[], number[]] {
  const variance = Math.log(1 + (company.sd / company.mean) ** 2)
  const centre = Math.log(company.mean) - variance / 2
  const first = Math.floor(company.incidents / 2)
  // Box and Muller 1958.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const draw = (n: number, scale: number) =>
    Array.from({ length: n }, () => scale * Math.exp(centre + Math.sqrt(variance) * normal()))
  return [draw(first, 1), draw(company.incidents - first, 1 - gain)]
}
