import { z } from 'zod'

/** What a tolerant reader gets of a promised value: any field may be missing or null, and words are open. */
export type Tolerant<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? Tolerant<One>[]
    : T extends object
      ? { [Name in keyof T]?: Tolerant<T[Name]> | null | undefined }
      : T

/** Marks a field that a reader cannot do without: `tolerant` keeps it required. */
export function needed<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ needed: true })
}

/**
 * What is still read of an answer that does not keep the promise: the same types, but only `needed` fields are required,
 * and an enumerated word may be any text, so that a service which changes or leaves out a field still loads.
 */
export function tolerant<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<Tolerant<z.output<Schema>>, z.input<Schema>> {
  return loosened(schema) as unknown as z.ZodType<Tolerant<z.output<Schema>>, z.input<Schema>>
}

function loosened(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    return z.looseObject(
      Object.fromEntries(
        fields.map(([name, field]) => [name, isNeeded(field) ? loosened(field) : loosened(field).nullish()]),
      ),
    )
  }
  if (schema instanceof z.ZodArray) return z.array(loosened(schema.element as z.ZodType))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return loosened(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodRecord) return z.record(z.string(), z.unknown())
  // Who reads it can tell which words were promised.
  return schema instanceof z.ZodEnum ? z.string().meta({ words: schema.options }) : schema
}

/** The words of the enumerated field at a path of a tolerant schema; undefined where it has none. */
export function wordsAt(schema: z.ZodType, path: readonly string[]): readonly string[] | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return wordsAt(schema.unwrap() as z.ZodType, path)
  const [field, ...rest] = path
  if (field === undefined) return schema.meta()?.words as readonly string[] | undefined
  const next = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>)[field] : undefined
  return next && wordsAt(next, rest)
}

function isNeeded(schema: z.ZodType): boolean {
  return schema.meta()?.needed === true
}
