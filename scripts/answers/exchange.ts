/** One HTTP request and its whole answer, with full control over the request line, the headers and the bytes. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Request {
  readonly method: string
  /** Exactly as it is written in the request line. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Of an answer that does not end, only the start is read, until `isEnough` returns true. */
export async function send(
  address: string,
  { body, ...asked }: Request,
  isEnough = (_received: string): boolean => false,
): Promise<Answer> {
  const { hostname: host, port } = new URL(address)
  const outgoing = request({ host, port, ...asked }).end(body)
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of message) {
    chunks.push(chunk as Buffer)
    if (isEnough(Buffer.concat(chunks).toString())) break
  }
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  return { status: message.statusCode ?? 0, headers: Object.fromEntries(headers), body: Buffer.concat(chunks) }
}

/** Bytes that need not be HTTP; the answer is everything until the server closes the connection. */
export async function sendBytes(address: string, bytes: string): Promise<Answer> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(bytes)
  const [head = '', body = ''] = (await buffer(socket)).toString().split(/\r\n\r\n(.*)/s)
  const [statusLine = '', ...fields] = head.split('\r\n')
  const headers = fields
    .map((field) => field.split(/: (.*)/s))
    .map(([name = '', value = '']) => [name.toLowerCase(), value])
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.from(body),
  }
}
