/**
 * Parses query parameters by the same schema that the documentation shows.
 *
 * Ajv's coercion is too lenient: it accepts `0x10` and `1e2` as integers, and the first of two values. Here integers are
 * digits, a parameter is sent once, and an error names the parameter, the problem and the allowed values.
 */
import { AppError } from '../../lib/app-error.ts'
import type { Fields, ObjectOf, ObjectSchema } from '../../lib/json-schema.ts'
import { show } from './show.ts'

/** The keywords that a parameter's schema may use. */
interface ParameterRule {
  readonly type: 'integer' | 'string' | 'boolean'
  /** The value of a parameter that was not sent. */
  readonly default?: unknown
  /** The pattern of a text, and its description that follows "Allowed:". */
  readonly pattern?: string
  readonly 'x-pattern-words'?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
  /** The problem with a number above the maximum, in words. */
  readonly 'x-above-maximum'?: string
  /** Larger numbers are accepted and reduced to this one. */
  readonly 'x-counts-at-most'?: number
}

/** A parameter that may be repeated. */
interface ListRule {
  readonly type: 'array'
  readonly items: ParameterRule
  readonly maxItems?: number
}

type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>

/** Unknown parameters are ignored. Throws AppError `invalid_request`. */
export function parseQuery<F extends Fields>(schema: ObjectSchema<F>, query: unknown): ObjectOf<F> {
  const values: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(schema.properties as unknown as Record<string, ParameterRule | ListRule>)) {
    const raw = (query as RawQuery)[name]
    if ('default' in rule) values[name] = rule.default
    if (raw === undefined) continue
    if (rule.type === 'array') {
      const list = parseList(name, typeof raw === 'string' ? [raw] : raw, rule)
      if (list.length > 0) values[name] = list
      continue
    }
    if (typeof raw !== 'string') throw refusal(name, 'it was sent more than once', `${describeAllowed(rule)}, once`)
    const value = parseValue(name, raw, rule)
    if (value !== undefined) values[name] = value
  }
  return values as ObjectOf<F>
}

/** Empty values and duplicates are dropped. */
function parseList(name: string, raw: readonly string[], { items, maxItems }: ListRule): readonly unknown[] {
  if (maxItems !== undefined && raw.length > maxItems) {
    throw refusal(name, `it was sent ${raw.length} times`, `up to ${maxItems} times`)
  }
  return [...new Set(raw.map((value) => parseValue(name, value, items)).filter((value) => value !== undefined))]
}

type Refused = (problem: string) => AppError

function parseValue(name: string, raw: string, rule: ParameterRule): unknown {
  const refused = (problem: string) => refusal(name, problem, describeAllowed(rule))
  if (rule.type === 'integer') return parseInteger(raw, rule, refused)
  if (rule.type === 'string') return parseText(raw, rule, refused)
  if (raw === 'true' || raw === 'false') return raw === 'true'
  throw refused(`${show(raw)} is neither true nor false`)
}

function parseInteger(raw: string, rule: ParameterRule, refused: Refused): number {
  if (raw === '') throw refused('it is empty')
  if (!/^-?\d+$/.test(raw)) throw refused(`${show(raw)} is not a whole number`)
  // Adding zero turns -0 into 0.
  const number = Number(raw) + 0
  // Without a maximum, numbers beyond the safe range are accepted too: clients send their largest integer.
  const value = rule.maximum === undefined ? Math.min(number, Number.MAX_SAFE_INTEGER) : number
  if (!Number.isSafeInteger(value)) throw refused(`${show(raw)} is too ${raw.startsWith('-') ? 'small' : 'large'}`)
  if (rule.minimum !== undefined && value < rule.minimum) throw refused(`${value} is too small`)
  if (rule.maximum !== undefined && value > rule.maximum) {
    throw refused(`${value} ${rule['x-above-maximum'] ?? 'is too large'}`)
  }
  return Math.min(value, rule['x-counts-at-most'] ?? value)
}

/** An empty text, if the schema allows it, counts as not sent. */
function parseText(raw: string, rule: ParameterRule, refused: Refused): string | undefined {
  if (rule.enum) {
    if (rule.enum.includes(raw)) return raw
    throw refused(`${show(raw)} is not a valid value`)
  }
  if (raw === '') {
    if (rule.minLength) throw refused('it is empty')
    return undefined
  }
  if (rule.pattern !== undefined && !new RegExp(rule.pattern).test(raw)) throw refused(`${show(raw)} is not valid`)
  // JSON Schema counts characters, not UTF-16 units.
  const length = Array.from(raw).length
  if (rule.maxLength !== undefined && length > rule.maxLength) throw refused(`it has ${length} characters`)
  return raw
}

function refusal(name: string, problem: string, allowed: string): AppError {
  return new AppError('invalid_request', `Invalid ${name}: ${problem}. Allowed: ${allowed}.`)
}

function describeAllowed(rule: ParameterRule): string {
  if (rule.enum) return `one of ${rule.enum.join(', ')}, exactly as written here`
  if (rule['x-pattern-words'] !== undefined) return rule['x-pattern-words']
  if (rule.type === 'boolean') return 'true or false'
  if (rule.type === 'integer') return `a whole number${describeRange(rule)}`
  if (rule.maxLength === undefined) return 'a non-empty text'
  return `a text of at most ${rule.maxLength} characters`
}

function describeRange({ minimum, maximum, 'x-counts-at-most': most }: ParameterRule): string {
  if (minimum !== undefined && most !== undefined) return ` of at least ${minimum} (above ${most} it counts as ${most})`
  if (minimum === undefined) return maximum === undefined ? '' : ` of at most ${maximum}`
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`
}
