/** Building blocks for the schemas of /v1. */
import { type Static, type TSchema, Type } from 'typebox'

/** A reference in the OpenAPI document, the full type in TypeScript. */
export function ref<T extends TSchema & { readonly $id: string }>(schema: T) {
  return Type.Unsafe<Static<T>>({ $ref: schema.$id })
}

/** Sets the name of a schema in the OpenAPI document. */
export function named<T extends TSchema, Name extends string>($id: Name, schema: T): T & { readonly $id: Name } {
  return Object.assign(schema, { $id })
}

export const time = (description: string) => Type.String({ format: 'date-time', description })

export const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })

export const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

export const count = (description: string) => Type.Integer({ minimum: 0, description })
