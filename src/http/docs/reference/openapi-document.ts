/** The parts of an OpenAPI document that the reference shows. */

export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly $ref?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly 'x-pattern-words'?: string
  readonly 'x-counts-at-most'?: number
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export type Content = Readonly<Record<string, { readonly schema?: Schema }>>

export interface Answer {
  readonly description?: string
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>
  readonly content?: Content
}

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<Record<string, Answer>>
  /** Empty: no key is needed. */
  readonly security?: readonly object[]
}

export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly description?: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

export interface Endpoint {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function listEndpoints({ paths }: OpenapiDocument): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}
