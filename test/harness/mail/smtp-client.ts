/** Submits a message to a mail server, as an application does. */
import { createConnection, type Socket } from 'node:net'

export interface Letter {
  readonly sender: string
  readonly recipients: readonly string[]
  /** Header lines; From, To and the like are not added. */
  readonly headers: readonly string[]
}

const TIMEOUT_MS = 30_000

/** Returns the server's last reply. Rejects if a command is refused, except for a refused recipient. */
export async function submitLetter(host: string, port: number, letter: Letter): Promise<string> {
  const socket = createConnection({ host, port, timeout: TIMEOUT_MS })
  socket.on('timeout', () => socket.destroy(new Error('the server does not answer')))
  const answers = readAnswers(socket)
  const expect = async (pattern: RegExp) => {
    const { value, done } = await answers.next()
    if (done || !pattern.test(value)) throw new Error(`the server said ${String(value)}`)
    return value
  }
  try {
    await expect(/^220/)
    const commands: readonly (readonly [string, RegExp])[] = [
      ['EHLO client.test', /^250/],
      [`MAIL FROM:<${letter.sender}>`, /^250/],
      ...letter.recipients.map((recipient) => [`RCPT TO:<${recipient}>`, /^[245]/] as const),
      ['DATA', /^354/],
    ]
    for (const [command, pattern] of commands) {
      socket.write(`${command}\r\n`)
      await expect(pattern)
    }
    socket.write(`${letter.headers.join('\r\n')}\r\n\r\nHello.\r\n.\r\n`)
    const answer = await expect(/^250/)
    socket.write('QUIT\r\n')
    return answer
  } finally {
    socket.end()
  }
}

/** The last line of each reply. */
async function* readAnswers(socket: Socket): AsyncGenerator<string> {
  let held = ''
  for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (held + chunk).split('\r\n')
    held = lines.pop() ?? ''
    for (const line of lines) if (/^\d{3}(?: |$)/.test(line)) yield line
  }
}
