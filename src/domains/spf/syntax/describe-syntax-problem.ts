/** Describes a syntax error of an SPF record, for the person who published it. */
import { printable } from '../../printable-text.ts'
import type { SpfSyntaxProblem } from './spf-syntax-error.ts'

/** One sentence: what is wrong, where, and what is allowed. */
export function describeSyntaxProblem(problem: SpfSyntaxProblem): string {
  const place = `at character ${problem.at + 1}`
  const term = quote(problem.term)
  const part = quote(problem.text)
  switch (problem.code) {
    case 'bad_character':
      return `${term} contains ${part} ${place}: a record must be plain ASCII, and only spaces may separate its terms.`
    case 'unknown_mechanism':
      return `${term} ${place} is not an SPF mechanism.${hintAtMechanism(problem.text)}`
    case 'unexpected_argument':
      return `${term} cannot have ${part} ${place}.`
    case 'missing_domain':
      return `${term} is missing a domain name ${place}.`
    case 'bad_domain':
      return `${term} has ${part} ${place}, which is not a domain name: it must end in a dot and a top-level domain, or in a macro.`
    case 'address_as_domain':
      return `${term} has the address ${part} ${place} where a domain name is expected; write addresses with ip4: or ip6:.`
    case 'bad_macro':
      return `${term} has ${part} ${place}, which is not a macro; write a percent sign as %%.`
    case 'explanation_macro':
      return `${term} has the macro ${part} ${place}, which is allowed only in explanations.`
    case 'bad_ip4':
      return `${term} has ${part} ${place}, which is not an IPv4 address or network: four numbers from 0 to 255 without leading zeros, optionally followed by "/" and a prefix length.`
    case 'bad_ip6':
      return `${term} has ${part} ${place}, which is not an IPv6 address or network.`
    case 'bad_prefix_length':
      return `${term} has the prefix length ${part} ${place}: it must be 0 to 32 for IPv4 or 0 to 128 for IPv6, without leading zeros.`
    case 'bad_modifier_name':
      return `${term} ${place} is not a modifier: its name must begin with a letter.`
    case 'repeated_modifier':
      return `${term} ${place} appears for the second time: a record may have only one redirect= and one exp=.`
  }
}

function hintAtMechanism(name: string): string {
  const known = name.toLowerCase()
  if (known === 'redirect' || known === 'exp') return ` Write ${known}= with an equals sign.`
  if (known === 'ip') return ' Write ip4: or ip6:.'
  if (known === 'v=spf1') return ' The version appears only once, at the beginning.'
  return ''
}

function quote(text: string): string {
  return `"${printable(text)}"`
}
