/** An SMTP session, line by line, for tests that check every reply. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const TIMEOUT_MS = 30_000

export class SmtpSession implements AsyncDisposable {
  #socket: Socket
  #answers: AsyncIterator<string>

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#answers = readAnswers(socket)
  }

  /** The greeting is not read yet. */
  static open(port: number, localAddress = '127.0.0.1'): SmtpSession {
    const socket = createConnection({ host: '127.0.0.1', port, localAddress, timeout: TIMEOUT_MS })
    socket.on('timeout', () => socket.destroy(new Error('the server does not answer')))
    return new SmtpSession(socket)
  }

  /** After the greeting and EHLO. */
  static async begin(port: number, localAddress?: string): Promise<SmtpSession> {
    const session = SmtpSession.open(port, localAddress)
    await session.read()
    await session.ask('EHLO client.test')
    return session
  }

  /** All lines of the next reply. Rejects if the server closes the connection instead. */
  async read(): Promise<string> {
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('the server hung up')
    return value as string
  }

  async ask(line: string): Promise<string> {
    this.#socket.write(`${line}\r\n`)
    return this.read()
  }

  write(text: string | Uint8Array): void {
    this.#socket.write(text)
  }

  /** The reply to the message, or the first negative reply. */
  async send(message: Uint8Array, recipients: readonly string[], sender = ''): Promise<string> {
    const commands = [`MAIL FROM:<${sender}>`, ...recipients.map((address) => `RCPT TO:<${address}>`), 'DATA']
    for (const command of commands) {
      const answer = await this.ask(command)
      if (!/^[23]/.test(answer)) return answer
    }
    const text = Buffer.from(message).toString('latin1')
    // RFC 5321 section 4.5.2
    this.#socket.write(text.replaceAll(/^\./gm, '..'), 'latin1')
    return this.ask(text.endsWith('\r\n') ? '.' : '\r\n.')
  }

  async startTls(): Promise<void> {
    this.#socket.removeAllListeners()
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    await once(secure, 'secureConnect')
    this.#socket = secure
    this.#answers = readAnswers(secure)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }
}

async function* readAnswers(socket: Socket): AsyncGenerator<string> {
  let held = ''
  let answer: string[] = []
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    const lines = (held + chunk.toString('latin1')).split('\r\n')
    held = lines.pop() ?? ''
    for (const line of lines) {
      answer.push(line)
      if (/^\d{3}-/.test(line)) continue
      yield answer.join('\n')
      answer = []
    }
  }
}
