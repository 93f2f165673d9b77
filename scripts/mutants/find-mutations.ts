/**
 * Finds the places of a source file where a small change should be noticed: comparisons, conditions, constants, removed
 * statements. Changes that usually make no difference are left out: texts for people, logging, values of tuning constants.
 */
import { createMutation, type Mutation } from './mutation.ts'
import { calledName, childrenOf, nodeAt, parseSource, type SyntaxNode, textAt } from './syntax.ts'

/** Replacements of operators. Boundary and direction of a comparison are two different mistakes. */
const OPERATORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['<', ['<=', '>=']],
  ['<=', ['<', '>']],
  ['>', ['>=', '<=']],
  ['>=', ['>', '<']],
  ['===', ['!==']],
  ['!==', ['===']],
  ['+', ['-']],
  ['-', ['+']],
  ['*', ['/']],
  ['/', ['*']],
  ['%', ['*']],
  ['&', ['|']],
  ['|', ['&']],
  ['<<', ['>>']],
  ['>>', ['<<']],
  ['>>>', ['<<']],
  ['&&', ['||']],
  ['||', ['&&']],
  ['+=', ['-=']],
  ['-=', ['+=']],
])

/** Functions that are easily confused. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

/** Methods whose call can be left out: the object itself is of the same type as their result. */
const OMITTED = new Set(['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim', 'toLowerCase'])

/** Calls that change no answer: logging, and timers that keep no process alive. */
const SILENT_CALLS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'unref'])

/** A bound that is multiplied by this is none. */
const UNBOUNDED = 1000

interface Source {
  readonly file: string
  readonly source: string
}

export function findMutations(file: string, source: string): readonly Mutation[] {
  const found: Mutation[] = []
  visit(parseSource(source, file), { file, source }, found)
  return found
}

function visit(node: SyntaxNode, at: Source, found: Mutation[]): void {
  const { type } = node
  const add = (range: { readonly start: number; readonly end: number }, replacement: string) =>
    found.push(createMutation(at, range, replacement))
  const textOf = ({ start, end }: SyntaxNode) => at.source.slice(start, end)

  if (isTypeOnly(node) || isForPeople(node)) return
  if (isTuning(node)) {
    const init = nodeAt(node, 'init')
    if (init && isBound(node)) add(init, `${UNBOUNDED} * (${textOf(init)})`)
    return
  }
  if (type === 'BinaryExpression' || type === 'LogicalExpression') mutateOperator(node, at, add)
  if (type === 'AssignmentExpression') mutateOperator(node, at, add)
  if (type === 'IfStatement' || type === 'ConditionalExpression') {
    const test = nodeAt(node, 'test')
    if (test) for (const value of ['true', 'false']) add(test, value)
  }
  if (type === 'WhileStatement' || type === 'ForStatement') {
    const test = nodeAt(node, 'test')
    if (test) add(test, 'false')
  }
  if (type === 'UnaryExpression' && ['!', '-'].includes(textAt(node, 'operator'))) {
    const argument = nodeAt(node, 'argument')
    if (argument) add(node, textOf(argument))
  }
  if (type === 'Literal') mutateLiteral(node, add)
  if (type === 'CallExpression') mutateCall(node, textOf, add)
  if (type === 'ContinueStatement' || (type === 'ExpressionStatement' && isRemovable(node))) add(node, ';')
  for (const child of childrenOf(node)) if (!isFiller(node, child)) visit(child, at, found)
}

/** `list[index] ?? 0`: for the type checker, which does not know that the index exists. */
function isFiller(parent: SyntaxNode, child: SyntaxNode): boolean {
  if (parent.type !== 'LogicalExpression' || textAt(parent, 'operator') !== '??') return false
  const left = nodeAt(parent, 'left')
  return child === nodeAt(parent, 'right') && left !== undefined && mayLackIndex(left)
}

function mayLackIndex(node: SyntaxNode): boolean {
  if (node.type === 'MemberExpression' && node['computed'] === true) return true
  if (node.type === 'CallExpression' && calledName(node) === 'at') return true
  return ['MemberExpression', 'ChainExpression'].includes(node.type) && childrenOf(node).some(mayLackIndex)
}

type Add = (range: { readonly start: number; readonly end: number }, replacement: string) => void

function mutateOperator(node: SyntaxNode, { source }: Source, add: Add): void {
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')]
  if (!left || !right) return
  const operator = textAt(node, 'operator')
  if (operator === '??') {
    add(node, source.slice(right.start, right.end))
    return
  }
  // Of texts, + is not arithmetic.
  if (operator === '+' && [left, right].some(isText)) return
  const start = source.indexOf(operator, left.end)
  for (const other of OPERATORS.get(operator) ?? []) add({ start, end: start + operator.length }, other)
}

function mutateLiteral(node: SyntaxNode, add: Add): void {
  const { value } = node
  if (typeof value === 'boolean') add(node, String(!value))
  if (typeof value === 'number') add(node, String(value + 1))
}

function mutateCall(node: SyntaxNode, textOf: (node: SyntaxNode) => string, add: Add): void {
  const callee = nodeAt(node, 'callee')
  const property = callee?.type === 'MemberExpression' ? nodeAt(callee, 'property') : undefined
  const object = callee && nodeAt(callee, 'object')
  if (!property || !object) return
  const name = textAt(property, 'name')
  const counterpart = Object.hasOwn(COUNTERPARTS, name) ? COUNTERPARTS[name] : undefined
  if (counterpart !== undefined) add(property, counterpart)
  if (OMITTED.has(name)) add(node, textOf(object))
}

/** Statements that do something: a call, an assignment, a step of a counter. */
function isRemovable(statement: SyntaxNode): boolean {
  const expression = nodeAt(statement, 'expression')
  if (!expression || textAt(statement, 'directive') !== '') return false
  const call = expression.type === 'AwaitExpression' ? nodeAt(expression, 'argument') : expression
  if (call?.type !== 'CallExpression') return expression.type !== 'Literal'
  return nodeAt(call, 'callee')?.type !== 'Super' && !SILENT_CALLS.has(calledName(call))
}

function isTypeOnly({ type }: SyntaxNode): boolean {
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return true
  return type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(type)
}

/** Errors and log lines: their text is for people, and who throws what is decided before. */
function isForPeople(node: SyntaxNode): boolean {
  if (node.type === 'NewExpression') return textAt(nodeAt(node, 'callee') ?? node, 'name').endsWith('Error')
  return node.type === 'CallExpression' && SILENT_CALLS.has(calledName(node))
}

/** `const NAME = 4096`, or a table of such limits: values that were chosen, not ones that follow from anything. */
function isTuning(node: SyntaxNode): boolean {
  if (node.type !== 'VariableDeclarator') return false
  const name = textAt(nodeAt(node, 'id') ?? node, 'name')
  if (!/^[A-Z][A-Z0-9_]+$/.test(name)) return false
  const init = nodeAt(node, 'init')
  return /LIMITS|RATE/.test(name) || (init !== undefined && isNumeric(init))
}

/** Times are left out: no test waits for them. */
function isBound(declarator: SyntaxNode): boolean {
  const name = textAt(nodeAt(declarator, 'id') ?? declarator, 'name')
  return /(^|_)MAX(_|$)/.test(name) && !/_(MS|SECONDS)(_|$)/.test(name)
}

function isNumeric(node: SyntaxNode): boolean {
  if (node.type === 'Literal') return typeof node['value'] === 'number'
  if (node.type === 'BinaryExpression') return childrenOf(node).every(isNumeric)
  return node.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(textAt(node, 'name'))
}

function isText(node: SyntaxNode): boolean {
  if (node.type === 'BinaryExpression') return childrenOf(node).some(isText)
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string')
}
