import { createHmac } from 'node:crypto'

/** How a hashed text is told from a plain one. */
const HASHED = /^hmac:[0-9a-f]{64}$/

/** Makes the hash of texts: HMAC-SHA-256 under the salt, as `hmac:` and 64 hexadecimal digits. What is hashed already, and the empty text, stays. */
export function keyedHash(salt: string): (text: string) => string {
  return (text) =>
    text === '' || HASHED.test(text) ? text : `hmac:${createHmac('sha256', salt).update(text).digest('hex')}`
}
