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

/** Operators whose first replacement differs only at the boundary. */
const BOUNDARIES: Readonly<Record<string, true>> = { '<': true, '<=': true, '>': true, '>=': true }

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

/**
 * Calls that change no answer: logging, timers that keep no process alive, and properties that are declared early so that all
 * requests have the same shape.
 */
const SILENT_CALLS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'unref', 'decorateRequest'])

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

/** `isSignOnly`: the node is within a comparison for sorting, of whose result only the sign matters, and of equal items not even that. */
function visit(node: SyntaxNode, at: Source, found: Mutation[], isSignOnly = false): void {
  const { type } = node
  const add = (range: { readonly start: number; readonly end: number }, replacement: string) =>
    found.push(createMutation(at, range, replacement))
  const textOf = ({ start, end }: SyntaxNode) => at.source.slice(start, end)

  if (isTypeOnly(node) || isForPeople(node) || isOnceOfAbort(node)) return
  if (isTuning(node)) {
    for (const bound of listBounds(node)) add(bound, `${UNBOUNDED} * (${textOf(bound)})`)
    return
  }
  const isOperation = ['BinaryExpression', 'LogicalExpression', 'AssignmentExpression'].includes(type)
  if (isOperation) mutateOperator(node, at, add, isSignOnly)
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
  if (type === 'Literal' && !isSignOnly) mutateLiteral(node, add)
  if (type === 'CallExpression') mutateCall(node, textOf, add)
  if (type === 'ContinueStatement' || (type === 'ExpressionStatement' && isRemovable(node))) add(node, ';')
  for (const child of childrenOf(node)) {
    if (!isFiller(node, child) && !isMoment(node, child))
      visit(child, at, found, isSignOnly || isSignOf(node) || isComparison(node, child))
  }
}

/** `a < b ? -1 : 1` */
function isSignOf(node: SyntaxNode): boolean {
  if (node.type !== 'ConditionalExpression') return false
  const { consequent, alternate } = node
  return [consequent, alternate].every((side) => {
    const { type, argument, value } = side as SyntaxNode
    return type === 'UnaryExpression' ? (argument as SyntaxNode)['value'] === 1 : value === 1
  })
}

/** A function that is given to `sort`, or is called compare…. */
function isComparison(parent: SyntaxNode, child: SyntaxNode): boolean {
  if (child.type === 'FunctionDeclaration') return textAt(nodeAt(child, 'id') ?? child, 'name').startsWith('compare')
  const isSorting = parent.type === 'CallExpression' && ['sort', 'toSorted'].includes(calledName(parent))
  return isSorting && child.type === 'ArrowFunctionExpression'
}

/** `addEventListener('abort', …, { once: true })`: a signal aborts only once. */
function isOnceOfAbort(node: SyntaxNode): boolean {
  if (node.type !== 'CallExpression' || calledName(node) !== 'addEventListener') return false
  const [event, listener, options] = childrenOf(node).slice(1)
  return event?.['value'] === 'abort' && listener?.type === 'Identifier' && options?.type === 'ObjectExpression'
}

/** `deadline.leftMs <= 0`: a moment earlier or later is the same. */
function isMoment(parent: SyntaxNode, child: SyntaxNode): boolean {
  const isCompared = parent.type === 'BinaryExpression' && textAt(parent, 'operator') in BOUNDARIES
  return isCompared && child.type === 'Literal' && childrenOf(parent).some(readsClock)
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

function mutateOperator(node: SyntaxNode, { source }: Source, add: Add, isSignOnly: boolean): void {
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
  const others = OPERATORS.get(operator) ?? []
  // The boundary comes first. No two readings of the clock are equal, so that it never lies on one; and equal items may be in any order.
  const isUnnoticed = isSignOnly || [left, right].some(readsClock) || exceedsPortion(operator, right)
  const noticeable = operator in BOUNDARIES && isUnnoticed ? others.slice(1) : others
  for (const other of noticeable) add({ start, end: start + operator.length }, other)
}

/**
 * `rows > ROWS_AT_ONCE`: how much is done in one go is chosen, and one more is as good. Not `rows.length < ROWS_AT_ONCE`, by which the last
 * page is recognized.
 */
function exceedsPortion(operator: string, right: SyntaxNode): boolean {
  return operator !== '<' && /(^|_)(AT_ONCE|STEP|BATCH|PAGE|SLICE|CHUNK)(_|$)/.test(textAt(right, 'name'))
}

/** `performance.now()`, what is left of a deadline, or a calculation with it: a moment more or less is nobody's promise. */
function readsClock(node: SyntaxNode): boolean {
  const property = node.type === 'MemberExpression' ? nodeAt(node, 'property') : node
  if (textAt(property ?? node, 'name') === 'leftMs') return true
  if (node.type === 'CallExpression') return calledName(node) === 'now' && ownerName(node) === 'performance'
  return ['BinaryExpression', 'ParenthesizedExpression'].includes(node.type) && childrenOf(node).some(readsClock)
}

function ownerName(call: SyntaxNode): string {
  const callee = nodeAt(call, 'callee')
  return textAt((callee && nodeAt(callee, 'object')) ?? call, 'name')
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

/** Errors, log lines and what the reference says: their text is for people, and who throws what is decided before. */
function isForPeople(node: SyntaxNode): boolean {
  if (node.type === 'Property') return ['summary', 'description'].includes(textAt(nodeAt(node, 'key') ?? node, 'name'))
  if (node.type === 'NewExpression') return textAt(nodeAt(node, 'callee') ?? node, 'name').endsWith('Error')
  return node.type === 'CallExpression' && SILENT_CALLS.has(calledName(node))
}

/**
 * Values that were chosen, not ones that follow from anything: `const NAME = 4096`, a table of such values, and times and sizes
 * that are given to something else, `{ timeoutMs: 5000 }`. Nobody would notice one more.
 */
function isTuning(node: SyntaxNode): boolean {
  const [target, value] = chosenBy(node)
  if (!target || !value) return false
  const name = textAt(target, 'name')
  if (node.type !== 'VariableDeclarator') return MEASURE.test(name) && isNumeric(value)
  if (!/^[A-Z][A-Z0-9_]+$/.test(name)) return false
  return /LIMITS|RATE/.test(name) || isNumeric(value) || listNumbers(value).length > 0
}

const MEASURE = /(?:Ms|Seconds|Bytes|Kib)$/

/** A name and the value that it gets. */
function chosenBy(node: SyntaxNode): readonly [name?: SyntaxNode | undefined, value?: SyntaxNode | undefined] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [nodeAt(node, 'id'), nodeAt(node, 'init')]
    case 'Property':
      return [nodeAt(node, 'key'), nodeAt(node, 'value')]
    case 'AssignmentPattern':
      return [nodeAt(node, 'left'), nodeAt(node, 'right')]
  }
  return []
}

/** The values of constants that limit something. Times are left out: no test waits for them. */
function listBounds(node: SyntaxNode): readonly SyntaxNode[] {
  const [target, value] = chosenBy(node)
  const name = target ? textAt(target, 'name') : ''
  if (!value || !/(^|_)MAX(_|$)/.test(name) || /_(MS|SECONDS)(_|$)/.test(name)) return []
  return isNumeric(value) ? [value] : listNumbers(value)
}

/** Of an object that has nothing but numbers, unless it is a part of a JSON schema, which callers rely on. */
function listNumbers(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression') {
    const inner = nodeAt(node, 'expression')
    return inner ? listNumbers(inner) : []
  }
  if (node.type !== 'ObjectExpression') return []
  const numbers: SyntaxNode[] = []
  for (const property of childrenOf(node)) {
    const [name, value] = chosenBy(property)
    if (!name || !value || !isNumeric(value) || SCHEMA_KEYWORD.test(textAt(name, 'name'))) return []
    numbers.push(value)
  }
  return numbers
}

const SCHEMA_KEYWORD = /^(?:minimum|maximum|(?:min|max)(?:Length|Items))$/

function isNumeric(node: SyntaxNode): boolean {
  if (node.type === 'Literal') return typeof node['value'] === 'number'
  if (node.type === 'BinaryExpression') return childrenOf(node).every(isNumeric)
  return node.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(textAt(node, 'name'))
}

function isText(node: SyntaxNode): boolean {
  if (node.type === 'BinaryExpression') return childrenOf(node).some(isText)
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string')
}
