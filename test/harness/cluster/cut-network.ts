/** A network namespace for one server: it has links of its own to the outside, on each of which all packets can be lost. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'

/** Of a way between a server and a database. */
export interface Way {
  /** Nothing gets through, and nobody is told. */
  cut(): void
  mend(): void
}

/** Reserved for tests of networks by RFC 2544, so that no route of the machine is hidden. */
const PREFIX = '198.18'
/** Nobody has it. */
const NOWHERE = '02:00:00:00:00:00'

interface Link extends Way {
  /** Address of the outside, which the server connects to. */
  readonly outside: string
  readonly inside: string
}

export class CutNetwork implements AsyncDisposable {
  /** The namespace exists as long as it runs, which is no longer than this process: it then reads the end of its input. */
  readonly #holder: ChildProcess
  readonly #name = randomBytes(4).toString('hex')
  readonly #subnet = randomInt(256)
  #links = 0

  private constructor(holder: ChildProcess) {
    this.#holder = holder
  }

  /** Undefined where this process may not make namespaces. */
  static async open(): Promise<CutNetwork | undefined> {
    const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'pipe', 'ignore'] })
    holder.stdin?.on('error', () => undefined)
    holder.on('error', () => undefined)
    holder.stdin?.write('.')
    const isThere = await Promise.race([
      once(holder.stdout, 'data').then(() => true),
      once(holder, 'close').then(() => false),
    ]).catch(() => false)
    const network = new CutNetwork(holder)
    if (isThere && network.#mayLink()) return network
    await network[Symbol.asyncDispose]()
    return undefined
  }

  /** Before the command of a server that is to run in it. */
  get prefix(): readonly string[] {
    return ['nsenter', '-t', `${this.#holder.pid}`, '-n']
  }

  addLink(): Link {
    const number = this.#links++
    const device = (end: string) => ({
      device: `el${this.#name}${number}${end}`,
      hardware: `02:${this.#name.replaceAll(/../g, '$&:')}${number}${end}`,
    })
    const [out, own] = [device('a'), device('b')]
    const [outside, inside] = [1, 2].map((last) => `${PREFIX}.${this.#subnet}.${number * 4 + last}`) as [string, string]
    const peer = ['peer', 'name', own.device, 'address', own.hardware, 'netns', `${this.#holder.pid}`]
    run(['ip', 'link', 'add', out.device, 'address', out.hardware, 'type', 'veth', ...peer])
    run(['ip', 'address', 'add', `${outside}/30`, 'dev', out.device])
    run(['ip', 'link', 'set', out.device, 'up'])
    run([...this.prefix, 'ip', 'address', 'add', `${inside}/30`, 'dev', own.device])
    run([...this.prefix, 'ip', 'link', 'set', own.device, 'up'])
    // Packets for another hardware address are dropped without a word. A link that is down would be an error to those who use it.
    const send = (toOutside: string, toInside: string) => {
      run(['ip', 'neighbour', 'replace', inside, 'lladdr', toInside, 'dev', out.device, 'nud', 'permanent'])
      run([
        ...this.prefix,
        'ip',
        'neighbour',
        'replace',
        outside,
        'lladdr',
        toOutside,
        'dev',
        own.device,
        'nud',
        'permanent',
      ])
    }
    const mend = () => send(out.hardware, own.hardware)
    mend()
    return { outside, inside, cut: () => send(NOWHERE, NOWHERE), mend }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode, pid } = this.#holder
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const ended = once(this.#holder, 'close')
    this.#holder.kill('SIGKILL')
    await ended
  }

  /** The program may be missing, or this may be a container that is not allowed to. */
  #mayLink(): boolean {
    try {
      run([...this.prefix, 'ip', 'link', 'set', 'lo', 'up'])
      this.addLink()
      return true
    } catch {
      return false
    }
  }
}

function run([program = '', ...args]: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`, { cause: error })
}
