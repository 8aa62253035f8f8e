/** What was found where a part of a warehouse was looked at: that all is well, in words, or what is wrong. */
export type CheckOutcome =
  | { readonly part: string; readonly found: string }
  | { readonly part: string; readonly error: unknown }
