/**
 * JSON Schemas that carry their TypeScript type: one declaration validates a value, documents it and types it.
 *
 * They are plain objects. The builder of typebox would make the same ones, but loading it takes longer than a short command runs.
 */

declare const CARRIED: unique symbol
const OPTIONAL = Symbol('optional')
const TARGET = Symbol('target')

/** A schema of values of type T. */
export interface Schema<out T = unknown> {
  readonly [CARRIED]: T
}
type OptionalSchema<T = unknown> = Schema<T> & { readonly [OPTIONAL]: true }

export type Fields = Readonly<Record<string, Schema>>

export interface ObjectSchema<F extends Fields = Fields> extends Schema<ObjectOf<F>> {
  readonly properties: F
}

/** A schema with a name in the OpenAPI document. */
export type Named<S extends Schema = Schema> = S & { readonly $id: string }

export type Static<S extends Schema> = S[typeof CARRIED]

type OptionalNames<F extends Fields> = { [Name in keyof F]: F[Name] extends OptionalSchema ? Name : never }[keyof F]
type Flat<T> = { [Name in keyof T]: T[Name] }
export type ObjectOf<F extends Fields> = Flat<
  { readonly [Name in Exclude<keyof F, OptionalNames<F>>]: Static<F[Name]> } & {
    readonly [Name in OptionalNames<F>]?: Static<F[Name]>
  }
>

/** For schemas that the functions below cannot express. */
export function raw<T>(keywords: object, description?: string): Schema<T> {
  return { ...keywords, ...(description !== undefined && { description }) } as unknown as Schema<T>
}

export function text(description?: string, keywords?: object): Schema<string> {
  return raw({ type: 'string', ...keywords }, description)
}

export function integer(description?: string, keywords?: object): Schema<number> {
  return raw({ type: 'integer', ...keywords }, description)
}

export function flag(description?: string, keywords?: object): Schema<boolean> {
  return raw({ type: 'boolean', ...keywords }, description)
}

export function oneOf<const T extends string>(
  values: readonly T[],
  description?: string,
  keywords?: object,
): Schema<T> {
  return raw({ enum: values, type: 'string', ...keywords }, description)
}

export function list<T>(items: Schema<T>, description?: string, keywords?: object): Schema<readonly T[]> {
  return raw({ type: 'array', items, ...keywords }, description)
}

export function orNull<T extends 'string' | 'integer'>(type: T, description: string, keywords?: object) {
  return raw<(T extends 'string' ? string : number) | null>({ type: [type, 'null'], ...keywords }, description)
}

export const time = (description: string) => text(description, { format: 'date-time' })
export const timeOrNull = (description: string) => orNull('string', description, { format: 'date-time' })
export const textOrNull = (description: string) => orNull('string', description)
export const count = (description?: string, keywords?: object) => integer(description, { minimum: 0, ...keywords })

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return { ...schema, [OPTIONAL]: true }
}

/** A parameter that need not be sent: it has its default then. */
export function preset<T>(schema: Schema<T>): Schema<T> {
  return optional(schema)
}

/** A page size: numbers above `most` count as `most`. */
export function pageSize(usual: number, most: number, description: string): Schema<number> {
  return preset(integer(description, { minimum: 1, default: usual, 'x-counts-at-most': most }))
}

export function object<F extends Fields>(properties: F, description?: string, keywords?: object): ObjectSchema<F> {
  const fields = Object.entries(properties)
  const required = fields.filter(([, schema]) => !(OPTIONAL in schema)).map(([name]) => name)
  const shape = { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords }
  return raw(shape, description) as ObjectSchema<F>
}

/** An object with a name in the OpenAPI document. */
export function named<F extends Fields>($id: string, fields: F): Named<ObjectSchema<F>>
export function named<F extends Fields>($id: string, description: string, fields: F): Named<ObjectSchema<F>>
export function named<F extends Fields>($id: string, ...rest: [F] | [string, F]): Named<ObjectSchema<F>> {
  const [description, fields] = rest.length === 1 ? [undefined, rest[0]] : rest
  return { ...object(fields, description), $id }
}

/** A reference in the OpenAPI document, the full type in TypeScript. */
export function ref<S extends Schema>(schema: Named<S>): Schema<Static<S>> {
  return raw({ $ref: schema.$id, [TARGET]: schema })
}

/** The named schemas that a schema consists of, each after those that it refers to. */
export function* listNamed(schema: object): Generator<Named> {
  if (TARGET in schema) yield* listNamed(schema[TARGET] as Named)
  for (const part of Object.values(schema)) if (typeof part === 'object' && part !== null) yield* listNamed(part)
  if ('$id' in schema) yield schema as Named
}
