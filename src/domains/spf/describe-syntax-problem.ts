/** What is wrong with an SPF record's text, in words for the person who published it. */
import { printable } from './printable-text.ts'
import type { SpfSyntaxProblem } from './spf-syntax-error.ts'

/** One sentence that says what, where, and how it should be. */
export function describeSyntaxProblem(problem: SpfSyntaxProblem): string {
  const place = `at character ${problem.at + 1}`
  const term = quote(problem.term)
  const part = quote(problem.text)
  switch (problem.code) {
    case 'bad_character':
      return `${term} holds ${part} ${place}: a record is plain ASCII, and spaces alone separate its terms.`
    case 'unknown_mechanism':
      return `${term} ${place} is no mechanism of SPF.${hintAtMechanism(problem.text)}`
    case 'unexpected_argument':
      return `${term} cannot have ${part} ${place}.`
    case 'missing_domain':
      return `${term} lacks a domain name ${place}.`
    case 'bad_domain':
      return `${term} has ${part} ${place}, which is no domain name: it must end in a dot and a top-level domain, or in a macro.`
    case 'address_as_domain':
      return `${term} has the address ${part} ${place} where a domain name belongs: addresses are written with ip4: or ip6:.`
    case 'bad_macro':
      return `${term} has ${part} ${place}, which is no macro; a percent sign itself is written %%.`
    case 'explanation_macro':
      return `${term} has the macro ${part} ${place}, which may stand in explanations alone.`
    case 'bad_ip4':
      return `${term} has ${part} ${place}, which is no IPv4 address or network: four numbers of 0 to 255 without leading zeros, then perhaps "/" and a length.`
    case 'bad_ip6':
      return `${term} has ${part} ${place}, which is no IPv6 address or network.`
    case 'bad_prefix_length':
      return `${term} has the length ${part} ${place}: 0 to 32 for IPv4 and 0 to 128 for IPv6 are possible, without leading zeros.`
    case 'bad_modifier_name':
      return `${term} ${place} is no modifier: its name must begin with a letter.`
    case 'repeated_modifier':
      return `${term} ${place} is there for the second time: redirect= and exp= may stand in a record once.`
  }
}

function hintAtMechanism(name: string): string {
  const known = name.toLowerCase()
  if (known === 'redirect' || known === 'exp') return ` Write ${known}= with an equals sign.`
  if (known === 'ip') return ' Write ip4: or ip6:.'
  if (known === 'v=spf1') return ' The version stands at the beginning, once.'
  return ''
}

function quote(text: string): string {
  return `"${printable(text)}"`
}
