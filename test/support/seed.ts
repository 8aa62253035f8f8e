import fc from 'fast-check'

/**
 * Property tests use the same examples each time, so that only a change can make a test fail. `FAULTLINE_SEED` selects
 * other examples. The weekly run uses a new seed. A failure shows its seed, and we add its example to the test.
 */
fc.configureGlobal({ seed: Number(process.env.FAULTLINE_SEED ?? 1) })
