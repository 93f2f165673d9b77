/** A JSON schema of the OpenAPI documents as a TypeScript type. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly description?: string
}

export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const parts = schema.oneOf ?? schema.anyOf
  if (parts) return unite(parts.map((part) => typeOf(part, indent)))
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part, indent)})`).join(' & ')
  const types = schema.type === undefined ? [] : [schema.type].flat()
  return types.length === 0 ? 'unknown' : unite(types.map((type) => typeOfOne(type, schema, indent)))
}

function typeOfOne(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return `readonly (${schema.items ? typeOf(schema.items, indent) : 'unknown'})[]`
  if (type === 'object') return objectType(schema, indent)
  return type
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
    return `Readonly<Record<string, ${value}>>`
  }
  const deeper = `${indent}  `
  const lines = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(member.description, deeper)}${deeper}readonly ${propertyName(name)}${mark}: ${typeOf(member, deeper)}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

export function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n`
}

function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}

function nameOf(reference: string): string {
  return schemaName(reference.slice(reference.lastIndexOf('/') + 1))
}

/** A type of this name would hide the platform's own. */
export function schemaName(name: string): string {
  return name === 'Error' ? 'ErrorBody' : name
}

function unite(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}
