import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Whether text might be an app key. A key is long, contains a digit, and is not an address or an existing path. */
export function looksLikeKey(text: string): boolean {
  if (!/^(?=.*\d)(?=.*[a-z])[\w+/=.-]{20,}$/i.test(text)) return false
  // A text with such an ending is a host name or a file name.
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
