/** A listening socket that somebody else opened: no connection is refused while the server restarts. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { SERVER_MODULE } from '../harness/programs/program-files.ts'
import { cleanEnvironment } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

/**
 * A service manager in five lines: it keeps descriptor 3 open, starts a server for each line on its stdin, and says how it ended. The variable
 * names the process that is to take the socket, which exists only then.
 */
const MANAGER = `while read -r line; do
  sh -c 'echo "started $$"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$1"' "$0" "$1"
  echo "ended $?"
done`

/** The socket is open in that process only: this one would accept connections, too. */
async function startManager(folder: string) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  assert.ok(typeof bound === 'object' && bound !== null)
  const { fd } = (server as Server & { readonly _handle: { readonly fd: number } })._handle
  const manager = spawn('sh', ['-c', MANAGER, process.execPath, SERVER_MODULE], {
    cwd: folder,
    env: { ...cleanEnvironment(), ENVELOG_PORT: '1', ENVELOG_DATA_DIR: join(folder, 'data') },
    stdio: ['pipe', 'pipe', 'ignore', fd],
    detached: true,
  })
  server.close()
  const { stdin, stdout } = manager
  assert.ok(stdin && stdout)
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  /** What follows the word in the first line that begins with it. */
  const read = async (word: string): Promise<number> => {
    for (;;) {
      const { done, value } = await lines.next()
      assert.ok(!done, `no line begins with ${word}`)
      if (value.startsWith(`${word} `)) return Number(value.slice(word.length))
    }
  }
  return {
    address: `http://127.0.0.1:${bound.port}`,
    start: () => stdin.write('start\n'),
    read,
    // The server, too, if it still runs: they are a group of processes.
    [Symbol.dispose]: () => void process.kill(-(manager.pid ?? Number.NaN), 'SIGKILL'),
  }
}

test('requests that arrive while the server restarts are answered by the next one', async () => {
  using folder = openTemporaryFolder()
  using manager = await startManager(folder.path)
  const ask = async () => {
    const response = await fetch(`${manager.address}/healthz`, { headers: { connection: 'close' } })
    return response.status
  }
  manager.start()
  const first = await manager.read('started')
  assert.equal(await ask(), 200)
  process.kill(first, 'SIGTERM')
  assert.equal(await manager.read('ended'), 0)
  const meanwhile = Array.from({ length: 5 }, ask)
  manager.start()
  const second = await manager.read('started')
  assert.notEqual(second, first)
  assert.deepEqual(await Promise.all(meanwhile), [200, 200, 200, 200, 200])
  process.kill(second, 'SIGTERM')
  assert.equal(await manager.read('ended'), 0)
})

test('systemd hands over a socket with the first connection', async () => {
  using folder = openTemporaryFolder()
  const port = await findFreePort()
  const settings = ['ENVELOG_PORT=1', `ENVELOG_DATA_DIR=${join(folder.path, 'data')}`].map((each) => `--setenv=${each}`)
  const child = spawn(
    'systemd-socket-activate',
    ['-l', `127.0.0.1:${port}`, ...settings, process.execPath, SERVER_MODULE],
    {
      cwd: folder.path,
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  await once(child.stderr, 'data')
  child.stderr.resume()
  const { status } = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } })
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number]
  assert.deepEqual({ status, code }, { status: 200, code: 0 })
})
