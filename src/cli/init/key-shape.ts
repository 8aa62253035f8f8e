import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Whether a text might be an app key. Keys are long, contain a digit, and are neither an address nor an existing path. */
export function looksLikeKey(text: string): boolean {
  if (!/^(?=.*\d)(?=.*[a-z])[\w+/=.-]{20,}$/i.test(text)) return false
  // A host or file name.
  if (/\.[a-z]\w{1,9}$/i.test(text)) return false
  return !existsSync(text) && !(text.includes('/') && existsSync(dirname(resolve(text))))
}

/** Whether pasted text contains the key, or a word that looks like a key. */
export function holdsKey(typed: string, key: string): boolean {
  // A terminal puts these characters around pasted text.
  const bare = typed.replace(/\u001b\[20[01]~/g, '').trim()
  if (key !== '' && bare.includes(key)) return true
  return !bare.includes('://') && bare.split(/[\s'":=]+/).some(looksLikeKey)
}
