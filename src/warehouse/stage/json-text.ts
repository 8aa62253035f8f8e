import { stringifyJson } from '../../contract/json.ts'

/**
 * JSON that DuckDB reads. Half a surrogate pair is escaped by JavaScript, but DuckDB refuses such an escape, and one
 * bad label would break every query over the column; like in plain text it becomes U+FFFD.
 */
export function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  if (!text.includes('\\ud')) return text
  // An escaped backslash is taken along whole, so that the text \\ud800 stays what it is.
  return text.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (whole, what) => (what === '\\' ? whole : '\\ufffd'))
}
