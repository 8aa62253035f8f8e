/** Result of the check of one part of a warehouse, which is a text that confirms that it is intact, or the error. */
export type CheckOutcome =
  | { readonly part: string; readonly found: string }
  | { readonly part: string; readonly error: unknown }
