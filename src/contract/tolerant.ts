import { z } from 'zod'

/** The type that readers accept instead of `T`: any field can be missing or null, and an enum can be any string. */
export type Tolerant<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? Tolerant<One>[]
    : T extends object
      ? { [Name in keyof T]?: Tolerant<T[Name]> | null | undefined }
      : T

/** Marks a field that stays required in a `tolerant` schema. */
export function needed<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ needed: true })
}

/** Requires only `needed` fields and accepts any enum value, so that a change in the service does not stop a sync. */
export function tolerant<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<Tolerant<z.output<Schema>>, z.input<Schema>> {
  return loosened(schema) as z.ZodType<Tolerant<z.output<Schema>>, z.input<Schema>>
}

function loosened(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    return z.looseObject(
      Object.fromEntries(
        fields.map(([name, field]) => [
          name,
          field.meta()?.needed ? loosened(field) : loosened(field).nullish(),
        ]),
      ),
    )
  }
  if (schema instanceof z.ZodArray) return z.array(loosened(schema.element as z.ZodType))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return loosened(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodRecord) return z.record(z.string(), z.unknown())
  // An enum accepts any string. Its documented values are kept for `wordsAt`.
  return schema instanceof z.ZodEnum ? z.string().meta({ words: schema.options }) : schema
}

/** Returns the documented values of the enum at a path in a tolerant schema. Undefined if the field is not an enum. */
export function wordsAt(schema: z.ZodType, path: readonly string[]): readonly string[] | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return wordsAt(schema.unwrap() as z.ZodType, path)
  const [field, ...rest] = path
  if (field === undefined) return schema.meta()?.words as readonly string[] | undefined
  const next = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>)[field] : undefined
  return next && wordsAt(next, rest)
}
