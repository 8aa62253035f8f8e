import fc from 'fast-check'

/**
 * Properties draw the same examples each time, so that a change is judged by itself and not by luck; `FAULTLINE_SEED` gives others.
 * The weekly run draws new ones: what it finds names its seed, and becomes an example.
 */
fc.configureGlobal({ seed: Number(process.env.FAULTLINE_SEED ?? 1) })
