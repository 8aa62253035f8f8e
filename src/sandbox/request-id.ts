const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A 26-character id in the manner of a ULID: 10 characters of milliseconds, 16 of chance. */
export function requestId(nowMs: number): string {
  let time = ''
  for (let rest = nowMs, k = 0; k < 10; k++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32]! + time
  let chance = ''
  for (let k = 0; k < 16; k++) chance += ALPHABET[Math.floor(Math.random() * 32)]
  return time + chance
}
