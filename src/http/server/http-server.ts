/** The bare HTTP server under the framework, with the limits of server-limits.ts. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetworkOf } from '../../lib/net/client-network.ts'
import { createServer } from '../../lib/net/node-http.ts'
import { AnswerMemory } from './answer-memory.ts'
import type { CloseReason } from './close-reason.ts'
import { Connections } from './connections.ts'
import { openFilesMax } from './open-files.ts'
import { oneAtATime } from './pipeline.ts'
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts'

export interface HttpServerOptions {
  readonly limits?: Partial<ServerLimits> | undefined
  /** Addresses through which many clients come: the limits per network do not apply to them. */
  readonly isProxy: (address: string) => boolean
  /** Called for every connection that a limit closed. */
  readonly onClosed: (reason: CloseReason) => void
}

/** Connections that can be accepted in one turn of the event loop: the operating system's queue. They exceed the limit briefly. */
const BACKLOG = 512

export function createHttpServer(
  handler: RequestListener,
  { isProxy, onClosed, ...options }: HttpServerOptions,
): Server {
  const limits: ServerLimits = fitOpenFiles({ ...SERVER_LIMITS, ...options.limits }, openFilesMax())
  const close = (socket: Socket, reason: CloseReason) => {
    if (socket.destroyed) return
    onClosed(reason)
    socket.destroy()
  }
  const connections = new Connections(limits, close)
  const answers = new AnswerMemory(limits, close)
  const answering = new WeakSet<Socket>()
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    answering.add(socket)
    response.once('close', () => answering.delete(socket))
    // A long response notices by itself that its reader is too slow (answers/paced-stream.ts).
    response.once('pipe', (source) => source.once('stalled', () => close(socket, 'stalled')))
    follow(request, response, connections, answers)
    handler(request, response)
  }
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      keepAliveTimeout: limits.keepAliveMs,
      // Node would refuse a request without Host with an empty body; the app sends our error body.
      requireHostHeader: false,
    },
    oneAtATime(begin, limits.pipelinedRequests, (socket) => close(socket, 'pipelining')),
  )
  server.maxConnections = limits.connections + Math.min(BACKLOG, limits.connections / 2)
  // Nothing has been read or written for this long. That is the client's fault, unless the response is not written yet.
  server.timeout = limits.answerStallMs
  server.on('timeout', (socket: Socket) => {
    if (!answering.has(socket)) socket.destroy()
    else if (socket.writableLength > 0) close(socket, 'stalled')
  })
  server.on('connection', (socket: Socket) => {
    // Connections of the control socket have no address. Only the owner of the data folder can open them.
    if (socket.remoteAddress === undefined) return
    const network = isProxy(socket.remoteAddress) ? undefined : clientNetworkOf(socket.remoteAddress)
    connections.add(socket, network, performance.now())
  })
  sweep(server, limits, connections, answers)
  return server
}

/** Half of the files that may be open are for connections, the rest for storage and connections that are being closed. */
export function fitOpenFiles(limits: ServerLimits, openFiles: number): ServerLimits {
  const connections = Math.min(limits.connections, Math.floor(openFiles / 2))
  return {
    ...limits,
    connections,
    connectionsPerNetwork: Math.min(limits.connectionsPerNetwork, Math.ceil(connections / 4)),
  }
}

function follow(
  request: IncomingMessage,
  response: ServerResponse,
  connections: Connections,
  answers: AnswerMemory,
): void {
  const { socket, headers } = request
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  connections.setState(socket, hasBody ? 'receiving' : 'answering', performance.now())
  const onReceived = () => connections.setState(socket, 'answering', performance.now())
  if (hasBody) request.once('end', onReceived)
  // All of the response has been written; what the operating system has not taken yet is still here.
  response.once('prefinish', () => {
    const { writableLength } = socket
    if (writableLength > 0) answers.hold(socket, connections.networkOf(socket), writableLength, performance.now())
  })
  response.once('close', () => {
    // A request that was refused early may end later; its connection is idle already.
    request.off('end', onReceived)
    answers.release(socket)
    connections.setState(socket, 'idle', performance.now())
  })
}

function sweep(server: Server, limits: ServerLimits, connections: Connections, answers: AnswerMemory): void {
  let timer: NodeJS.Timeout | undefined
  server.on('listening', () => {
    timer = setInterval(() => {
      const nowMs = performance.now()
      answers.closeDue(nowMs)
      if (connections.size > limits.connections / 2) connections.closeIdle(nowMs - limits.crowdedKeepAliveMs)
    }, limits.timeoutCheckMs).unref()
  })
  server.on('close', () => clearInterval(timer))
}
