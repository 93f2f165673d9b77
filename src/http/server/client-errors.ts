/** Responses to invalid HTTP, headers that are too large, and requests that time out. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { STATUS_CODES } from '../../lib/net/node-http.ts'
import { type ErrorRow, TRANSPORT_ERRORS, toErrorBody } from '../answers/error-body.ts'
import { SAFE_HEADERS } from '../answers/response-headers.ts'

/** The current request of a connection. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** By the error code of Node; everything else is malformed. */
const REFUSALS = new Map<string | undefined, ErrorRow>([
  ['ERR_HTTP_REQUEST_TIMEOUT', TRANSPORT_ERRORS.request_timeout],
  ['HPE_HEADER_OVERFLOW', TRANSPORT_ERRORS.headers_too_large],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', TRANSPORT_ERRORS.body_too_large],
])

/** Called for every refusal, for the log and the metrics. */
export type OnRefused = (status: number) => void

export function createClientErrorHandler(onRefused: OnRefused) {
  const exchanges = new WeakMap<Socket, Exchange>()

  function refuse(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const exchange = exchanges.get(socket)
    if (exchange && belongsToLaterRequest(exchange)) {
      exchange.response.once('finish', () => socket.end())
      return
    }
    const { status, description } = REFUSALS.get(error.code) ?? TRANSPORT_ERRORS.malformed_request
    onRefused(status)
    socket.end(rawAnswer(status, description))
  }

  function watch(app: FastifyInstance): void {
    app.server.on('request', (request, response) => {
      const { socket } = request
      exchanges.set(socket, { request, response })
      // An idle connection keeps nothing of its last request in memory.
      response.once('close', () => {
        if (exchanges.get(socket)?.response === response) exchanges.delete(socket)
      })
    })
    app.server.on('checkExpectation', (_request, response: ServerResponse) => {
      const { status, description } = TRANSPORT_ERRORS.expectation_failed
      const { headers, body } = answerOf(status, description)
      onRefused(status)
      response.writeHead(status, headers).end(body)
    })
  }

  return { refuse, watch }
}

/** The response to an earlier request is still being sent: anything written now would be read as part of it. */
function belongsToLaterRequest({ request, response }: Exchange): boolean {
  return !response.writableFinished && (request.complete || response.headersSent)
}

function answerOf(status: number, message: string) {
  const body = JSON.stringify(toErrorBody(status, message))
  const headers = {
    ...SAFE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  return { headers, body }
}

function rawAnswer(status: number, message: string): string {
  const { headers, body } = answerOf(status, message)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
