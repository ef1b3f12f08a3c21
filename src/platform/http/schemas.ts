import { type TSchema, Type } from 'typebox'

/** The id of a row; any number that JSON can carry exactly. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** An optional attribute for which null means the same as leaving it out. */
export function OptionalNullable<T extends TSchema>(schema: T) {
  return Type.Optional(Nullable(schema))
}
