/** Messages for the hosts of a mail network, each to its own recipients. */
import type { SentLetter } from './mail-outcome.ts'
import { submitLetter } from './smtp-client.ts'

/** One recipient for each possible outcome. */
const RECIPIENTS: readonly (readonly string[])[] = [
  ['ok@plain.example'],
  ['ok@tls.example', 'okay@tls.example'],
  ['ok@plain.example', 'no@plain.example', 'grey@plain.example'],
  ['spam@tls.example'],
  ['busy@tls.example'],
  ['drop@plain.example'],
  ['ok@nowhere.example'],
  ['ok@down.example'],
  ['ok@hello.example'],
  ['ok@broken.example'],
]

export class LetterWriter {
  readonly #host: string
  readonly #port: number
  readonly #domain: string
  readonly #givesIds: boolean
  readonly letters: SentLetter[] = []
  #count = 0

  /** `givesIds`: every other message has its id in a header. */
  constructor(host: string, port: number, domain: string, givesIds = false) {
    this.#host = host
    this.#port = port
    this.#domain = domain
    this.#givesIds = givesIds
  }

  /** Resolves when the server has accepted all of them. */
  async sendRound(): Promise<void> {
    for (const recipients of RECIPIENTS) await this.#send(recipients)
  }

  async #send(recipients: readonly string[]): Promise<void> {
    this.#count += 1
    const n = this.#count
    const letter: SentLetter = {
      ...(this.#givesIds && n % 2 === 1 && { id: `letter-${n}-of-${this.#domain}` }),
      sender: `bounce+${n}@bounces.${this.#domain}`,
      from: `Grüße ${n} <hello@${this.#domain}>`,
      subject: `Letter ${n}: „Straße“`,
      // The number makes every address unique; the sink reads only the part before it.
      recipients: recipients.map((recipient) => recipient.replace('@', `${n}@`)),
    }
    const encode = (text: string) => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`
    await submitLetter(this.#host, this.#port, {
      sender: letter.sender,
      recipients: letter.recipients,
      headers: [
        `From: ${encode(`Grüße ${n}`)} <hello@${this.#domain}>`,
        `To: you`,
        `Subject: ${encode(letter.subject)}`,
        ...(letter.id === undefined ? [] : [`X-Envelog-Id: ${letter.id}`]),
        `Message-ID: <letter-${n}@${this.#domain}>`,
        `Date: ${new Date().toUTCString()}`,
      ],
    })
    this.letters.push(letter)
  }
}
