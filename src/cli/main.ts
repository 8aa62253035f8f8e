#!/usr/bin/env node
import { processConsole } from './console.ts'
import { createProgram } from './program.ts'

const secrets: string[] = []
const console = processConsole(() => secrets)
const stopping = new AbortController()
let isListening = false
let hasEnded = false

/** Lets the command end cleanly on these signals. Closing a terminal sends SIGHUP. */
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
  // A scheduled command reloads its configuration for each job.
  keepSecret: (secret) => {
    if (!secrets.includes(secret)) secrets.push(secret)
  },
})

// Otherwise, Node would print uncaught errors directly, and they might contain the key.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => process.exit(printError(error)))
}

// Otherwise a promise that can never settle would end the process silently with exit status 0.
process.once('beforeExit', () => {
  if (hasEnded) return
  console.error('The command ended before its work was done.')
  console.note('  This is a bug in Faultline. Please report it with the command you ran.')
  process.exit(1)
})

void run(process.argv.slice(2))
  .then((status) => {
    process.exitCode = status
  })
  .finally(() => {
    hasEnded = true
  })
