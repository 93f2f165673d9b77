/** A load balancer without stickiness: each request goes to the next server, whatever its connection. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RoundRobin extends AsyncDisposable {
  readonly address: string
  /** Requests that each server got, in the order of the addresses. */
  readonly requests: readonly number[]
}

export async function openRoundRobin(addresses: readonly string[]): Promise<RoundRobin> {
  const requests = addresses.map(() => 0)
  let turn = 0
  const balancer = createServer((asked, answer) => {
    const index = turn++ % addresses.length
    requests[index] = (requests[index] ?? 0) + 1
    const { method, url = '/', headers } = asked
    const forwarded = request(`${addresses[index]}${url}`, { method, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    answer.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  })
  balancer.listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  return {
    address: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      balancer.closeAllConnections()
      balancer.close()
      await once(balancer, 'close')
    },
  }
}
