/** Generates mailbox names like those of a customer list. */
import type { SeededRandom } from '../lib/seeded-random.ts'

const FIRST_NAMES =
  `anna ben clara david elena felix grace hugo ines jonas kira liam mia noah olga paul quentin rosa samir
  tara uwe vera will xenia yusuf zoe amelie bruno chiara dominik emma farid greta henri isabel jakub katarina leo marta
  nils`.split(/\s+/)
const LAST_NAMES = `keller moreau rossi novak lindqvist okafor silva tanaka whitfield yilmaz andersen baker costa dubois
  eriksen fischer garcia haddad ivanova jansen kowalski lambert meyer nguyen oliveira park quinn richter schmidt turner
  ueda vogel wagner yamada zimmermann`.split(/\s+/)

export function makeMailboxName(random: SeededRandom): string {
  const first = random.pick(FIRST_NAMES)
  const last = random.pick(LAST_NAMES)
  const number = random.between(1, 9999)
  return random.pick([`${first}.${last}`, first, `${first[0]}${last}`, `${last}.${first}`]) + number
}
