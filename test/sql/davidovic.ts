/**
 * The experiment of Štěpán Davidovič, Incident Metrics in SRE (2021): split a year of incidents in two halves, shorten
 * the durations of one half, and compare the means. Durations vary so much that a year of incidents does not show the
 * improvement.
 */

/**
 * A company of that report. `mean` and `sd` describe the time to resolve in seconds, `incidents` is the number per
 * year.
 */
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

/**
 * Draws log-normal incident durations for two half-years, with the company's mean and standard deviation. Durations in
 * the second half are shorter by the fraction `gain`.
 */
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
