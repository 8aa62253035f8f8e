import fc from 'fast-check'

/**
 * Properties use the same examples each time, so that a failure is due to a change and not to luck. `FAULTLINE_SEED`
 * selects others. The weekly run draws new ones, names the seed of a failure, and the failure becomes an example.
 */
fc.configureGlobal({ seed: Number(process.env.FAULTLINE_SEED ?? 1) })
