#!/usr/bin/env node
import { processConsole } from './console.ts'
import { createProgram } from './program.ts'

const secrets: string[] = []
const console = processConsole(() => secrets)
const stopping = new AbortController()
let isListening = false
let hasEnded = false

/** Lets the command end by itself on these; without this the system ends it at once. A terminal that is closed sends SIGHUP. */
function listenForStop() {
  if (isListening) return
  isListening = true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second signal ends it at once.
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort(new Error(`stopped by ${signal}`))
    })
  }
}

const { run, printError } = createProgram({
  console,
  stop: stopping.signal,
  listenForStop,
  // A scheduled command reads its configuration again for each job.
  keepSecret: (secret) => {
    if (!secrets.includes(secret)) secrets.push(secret)
  },
})

// Uncaught errors too: Node would print them as they are, and they could hold the key.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => process.exit(printError(error)))
}

// Work that waits for what nothing holds any more would end in silence, and with the status of success.
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
