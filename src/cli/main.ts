#!/usr/bin/env node
import { processConsole } from './console.ts'
import { createProgram } from './program.ts'

const secrets: string[] = []
const console = processConsole(() => secrets)
const stopping = new AbortController()
let isListening = false
let hasEnded = false

/** Makes the command end cleanly after Ctrl-C or SIGTERM, or if the terminal is closed (SIGHUP). */
function listenForStop() {
  if (isListening) return
  isListening = true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second signal ends the process at once.
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort(new Error(`stopped by ${signal}`))
    })
  }
}

const { run, printError } = createProgram({
  console,
  stop: stopping.signal,
  listenForStop,
  // `start` loads the configuration for each job, so the same secrets arrive repeatedly.
  keepSecret: (secret) => {
    if (!secrets.includes(secret)) secrets.push(secret)
  },
})

// Node would print an uncaught error unchanged, and the error text might contain the key.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => process.exit(printError(error)))
}

// If a promise never settles, Node ends the process silently with exit status 0.
process.once('beforeExit', () => {
  if (hasEnded) return
  console.error('The command ended before its work was done.')
  console.note('  This is a bug in Faultline. Please report it with the command you ran.')
  process.exit(1)
})

void run(process.argv.slice(2)).then((status) => {
  process.exitCode = status
  hasEnded = true
})
