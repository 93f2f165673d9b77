/**
 * A mail server that stores no mail, only a record of its replies. The recipient's address determines the reply:
 *
 *     ok…      accepted                          no…      550 at RCPT TO
 *     grey…    450 the first time, then accepted  full…    452 every time
 *     spam…    554 after the message              busy…    451 after the message, the first time
 *     drop…    the connection is closed at RCPT TO, the first time
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { openTemporaryFolder } from '../temporary-folder.ts'

export interface SinkRecord {
  readonly recipient: string
  readonly sender: string
  /** 0 if the connection was closed instead of a reply. */
  readonly code: number
  /** Without code and enhanced code. */
  readonly text: string
  readonly tls: { readonly version: string; readonly cipher: string } | undefined
  /** Undefined if the message was not transmitted. */
  readonly messageId: string | undefined
}

export interface SmtpSink extends AsyncDisposable {
  readonly port: number
  /** One record for each recipient and attempt so far. */
  readonly records: readonly SinkRecord[]
}

export interface SmtpSinkOptions {
  readonly host?: string
  readonly port?: number
  readonly offersTls?: boolean
  /** Sent instead of a greeting, before it closes the connection. */
  readonly greeting?: string
}

export async function openSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const { host = '127.0.0.1', port = 0, offersTls = false, greeting } = options
  const records: SinkRecord[] = []
  /** Recipients that were already deferred. */
  const known = new Set<string>()
  const sockets = new Set<Socket>()
  const tls = offersTls ? makeSecureContext() : undefined
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    if (greeting === undefined) new SinkSession(socket, { records, known, tls }).greet()
    else socket.end(`${greeting}\r\n`)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    records,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface SinkState {
  readonly records: SinkRecord[]
  readonly known: Set<string>
  readonly tls: SecureContext | undefined
}

class SinkSession {
  #socket: Socket
  readonly #state: SinkState
  #sender = ''
  #recipients: string[] = []
  #message: string[] | undefined
  #held = ''

  constructor(socket: Socket, state: SinkState) {
    this.#socket = socket
    this.#state = state
    this.#listen()
  }

  greet(): void {
    this.#say('220 sink.test ESMTP')
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      const lines = (this.#held + chunk.toString('latin1')).split('\r\n')
      this.#held = lines.pop() ?? ''
      for (const line of lines) this.#say(this.#hear(line))
    })
  }

  #say(answer: string | undefined): void {
    if (answer !== undefined && !this.#socket.destroyed) this.#socket.write(`${answer}\r\n`)
  }

  /** The answer, if there is one. */
  #hear(line: string): string | undefined {
    if (this.#message) {
      if (line === '.') return this.#finishMessage(this.#message)
      this.#message.push(line)
      return undefined
    }
    const [verb = ''] = line.toUpperCase().split(/[ :]/)
    const [, address = ''] = /<([^>]*)>/.exec(line) ?? []
    switch (verb) {
      case 'EHLO':
        return this.#hello()
      case 'STARTTLS':
        return this.#startTls()
      case 'MAIL':
        this.#sender = address
        this.#recipients = []
        return '250 2.1.0 Ok'
      case 'RCPT':
        return this.#hearRecipient(address)
      case 'DATA':
        this.#message = []
        return '354 go on'
      case 'QUIT':
        setImmediate(() => this.#socket.end())
        return '221 2.0.0 Bye'
      default:
        return '250 2.0.0 Ok'
    }
  }

  #hello(): string {
    const offersTls = this.#state.tls && !(this.#socket instanceof TLSSocket)
    return ['250-sink.test', ...(offersTls ? ['250-STARTTLS'] : []), '250 ENHANCEDSTATUSCODES'].join('\r\n')
  }

  #startTls(): string | undefined {
    const { tls } = this.#state
    if (!tls) return '502 5.5.1 not here'
    this.#say('220 2.0.0 Ready')
    this.#socket.removeAllListeners('data')
    this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext: tls })
    this.#socket.on('error', () => this.#socket.destroy())
    this.#listen()
    return undefined
  }

  #hearRecipient(recipient: string): string | undefined {
    const [name = ''] = recipient.split(/[0-9@.+-]/)
    const isNew = !this.#state.known.has(recipient)
    this.#state.known.add(recipient)
    if (name === 'no')
      return this.#refuse(recipient, 550, '5.1.1', `<${recipient}>: Recipient address rejected: User unknown`)
    if (name === 'full') return this.#refuse(recipient, 452, '4.2.2', 'The mailbox is over quota')
    if (name === 'grey' && isNew) return this.#refuse(recipient, 450, '4.2.0', 'Greylisted, come back later')
    if (name === 'drop' && isNew) {
      this.#record(recipient, 0, '')
      this.#socket.destroy()
      return undefined
    }
    this.#recipients.push(recipient)
    return '250 2.1.5 Ok'
  }

  #finishMessage(lines: readonly string[]): string {
    this.#message = undefined
    const headers = lines.slice(0, lines.indexOf('')).join('\n')
    const messageId = /^message-id:\s*<([^>]*)>/im.exec(headers)?.[1]
    const [code, enhanced, text] = this.#judge(this.#recipients[0] ?? '')
    for (const recipient of this.#recipients) this.#record(recipient, code, text, messageId)
    return `${code} ${enhanced} ${text}`
  }

  #judge(recipient: string): readonly [number, string, string] {
    if (recipient.startsWith('spam')) return [554, '5.7.1', 'Message rejected as spam']
    const isNew = !this.#state.known.has(`message ${recipient}`)
    this.#state.known.add(`message ${recipient}`)
    if (recipient.startsWith('busy') && isNew) return [451, '4.3.0', 'Something broke here, try again']
    return [250, '2.0.0', `Ok: kept ${this.#state.records.length}`]
  }

  #refuse(recipient: string, code: number, enhanced: string, text: string): string {
    this.#record(recipient, code, text)
    return `${code} ${enhanced} ${text}`
  }

  #record(recipient: string, code: number, text: string, messageId?: string): void {
    const socket = this.#socket
    const tls =
      socket instanceof TLSSocket
        ? { version: socket.getProtocol() ?? '', cipher: socket.getCipher().standardName }
        : undefined
    this.#state.records.push({ recipient, sender: this.#sender, code, text, tls, messageId })
  }
}

/** Self-signed: mail servers encrypt opportunistically, without verifying the certificate. */
function makeSecureContext(): SecureContext {
  using folder = openTemporaryFolder()
  const [key, cert] = [join(folder.path, 'key'), join(folder.path, 'cert')]
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    '-days',
    '2',
    '-subj',
    '/CN=sink.test',
  ]
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  return createSecureContext({ key: readFileSync(key), cert: readFileSync(cert) })
}
