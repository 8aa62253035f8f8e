import fc from 'fast-check'

/** With a fixed seed, only a change can make a property test fail. The weekly run uses a new seed. */
fc.configureGlobal({ seed: Number(process.env.FAULTLINE_SEED ?? 1) })
