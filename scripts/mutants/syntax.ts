/** The syntax tree of a source file, as far as mutations need it: ESTree nodes with their positions. */
import { parseAst } from 'vite'

export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** With parentheses as nodes, so that a node can be replaced by another text. */
export function parseSource(source: string, file: string): SyntaxNode {
  return parseAst(source, { lang: 'ts', preserveParens: true }, file) as unknown as SyntaxNode
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** In the order of the source. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const found = Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : [value]))
  return found.filter(isNode).sort((a, b) => a.start - b.start)
}

export function nodeAt(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field]
  return isNode(value) ? value : undefined
}

export function textAt(node: SyntaxNode, field: string): string {
  const value = node[field]
  return typeof value === 'string' ? value : ''
}

/** `name` of `name(…)` and `object.name(…)`; otherwise ''. */
export function calledName(call: SyntaxNode): string {
  const callee = nodeAt(call, 'callee')
  if (!callee) return ''
  return textAt(callee.type === 'MemberExpression' ? (nodeAt(callee, 'property') ?? callee) : callee, 'name')
}
