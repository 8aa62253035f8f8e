import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Whether a text could be an app key: long, with a digit, and neither an address nor a path of something that is there. */
export function looksLikeKey(text: string): boolean {
  if (!/^(?=.*\d)(?=.*[a-z])[\w+/=.-]{20,}$/i.test(text)) return false
  // The name of a host or of a file.
  if (/\.[a-z]\w{1,9}$/i.test(text)) return false
  return !existsSync(text) && !(text.includes('/') && existsSync(dirname(resolve(text))))
}

/** Whether what was typed at once, or pasted, holds the key, or what could be one. Its line end is not part of it. */
export function holdsKey(typed: string, key: string): boolean {
  const bare = typed.replace(/\u001b\[20[01]~/g, '').trim()
  if (key !== '' && bare.includes(key)) return true
  return !bare.includes('://') && bare.split(/[\s'":=]+/).some(looksLikeKey)
}
