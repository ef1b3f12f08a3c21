import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lacksProgram } from './programs.ts'

const kernelFolder = join(import.meta.dirname, '../../node_modules/.cache/guest-kernel')

/** The reason to skip tests with virtual machines; false when they can run. */
export const lacksGuests =
  lacksProgram('qemu-system-x86_64', 'busybox') || (existsSync(kernelFolder) ? false : 'needs the kernel of its guests')

/** In the order in which they must be loaded. */
const modules = [
  'drivers/virtio/virtio_ring',
  'drivers/virtio/virtio',
  'drivers/virtio/virtio_pci_modern_dev',
  'drivers/virtio/virtio_pci_legacy_dev',
  'drivers/virtio/virtio_pci',
  'net/core/failover',
  'drivers/net/net_failover',
  'drivers/net/virtio_net',
]

const init = `#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys
/bin/busybox mount -t proc proc /proc
for module in ${modules.map((path) => path.split('/').at(-1)).join(' ')}; do /bin/busybox insmod /$module.ko; done
/bin/busybox ip link set eth0 up
/bin/busybox ip addr add $ADDRESS/24 dev eth0
echo GUEST READY
while read -r line; do eval "/bin/busybox $line"; echo "GUEST DONE $?"; done
`

/** Writes what all guests are started with into a folder: a ramdisk with busybox and the drivers of its network card. */
export async function prepareGuests(folder: string): Promise<GuestFiles> {
  const [version = ''] = readdirSync(join(kernelFolder, 'lib/modules'))
  const drivers = modules.map(async (path) => ({
    name: `${path.split('/').at(-1)}.ko`,
    content: await readFile(join(kernelFolder, 'lib/modules', version, 'kernel', `${path}.ko`)),
  }))
  const ramdisk = join(folder, 'initrd')
  await writeFile(
    ramdisk,
    archive([
      { name: 'bin' },
      { name: 'bin/busybox', content: await readFile('/bin/busybox') },
      { name: 'init', content: Buffer.from(init) },
      ...(await Promise.all(drivers)),
    ]),
  )
  return { ramdisk, kernel: join(kernelFolder, 'boot', `vmlinuz-${version}`) }
}

export interface GuestFiles {
  readonly ramdisk: string
  readonly kernel: string
}

export interface GuestOptions {
  readonly files: GuestFiles
  readonly address: string
  readonly number: number
  /** Where it listens for frames, and where it sends them. */
  readonly local: number
  readonly remote: number
}

/** A virtual machine with one network card, whose frames go over UDP, and a shell on its serial line. */
export class Guest implements AsyncDisposable {
  readonly #process: ChildProcess
  #shown = ''

  constructor({ files, address, number, local, remote }: GuestOptions) {
    const netdev = [
      'dgram,id=n0,local.type=inet,local.host=127.0.0.1',
      `local.port=${local},remote.type=inet,remote.host=127.0.0.1,remote.port=${remote}`,
    ].join(',')
    const mac = `52:54:00:00:00:0${number}`
    const machine = ['-accel', 'tcg', '-cpu', 'max', '-m', '128', '-nodefaults', '-nographic', '-serial', 'stdio']
    const kernel = ['-kernel', files.kernel, '-initrd', files.ramdisk]
    const line = `console=ttyS0 quiet panic=-1 rdinit=/init ADDRESS=${address}`
    const network = ['-netdev', netdev, '-device', `virtio-net-pci,netdev=n0,mac=${mac},romfile=`]
    this.#process = spawn('qemu-system-x86_64', [...machine, ...kernel, '-append', line, ...network], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text
    })
  }

  ready(): Promise<string> {
    return this.#until(/GUEST READY/)
  }

  /** Runs a command of busybox and gives what it shows. */
  async run(command: string): Promise<string> {
    this.#shown = ''
    this.#process.stdin?.write(`${command}\n`)
    return this.#until(/GUEST DONE \d+/)
  }

  async #until(pattern: RegExp): Promise<string> {
    const signal = AbortSignal.timeout(60_000)
    try {
      while (!pattern.test(this.#shown))
        await once(this.#process.stdout as NonNullable<ChildProcess['stdout']>, 'data', { signal })
      return this.#shown
    } catch (error) {
      throw new Error(`The guest did not show ${pattern}, but: ${this.#shown.slice(-2000)}`, { cause: error })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}

interface Entry {
  readonly name: string
  /** A folder when absent. */
  readonly content?: Buffer
}

/** A cpio archive in the "newc" format, as the kernel unpacks it (Documentation/driver-api/early-userspace/buffer-format). */
function archive(entries: readonly Entry[]): Buffer {
  const all = [...entries, { name: 'TRAILER!!!', content: Buffer.alloc(0) }]
  return Buffer.concat(all.flatMap((entry, index) => [...record(entry, index + 1)]))
}

function* record({ name, content }: Entry, inode: number): Generator<Buffer> {
  const mode = content === undefined ? 0o40755 : 0o100755
  const fields = [inode, mode, 0, 0, 1, 0, content?.length ?? 0, 0, 0, 0, 0, name.length + 1, 0]
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`
  yield padded(Buffer.from(header, 'latin1'))
  if (content !== undefined) yield padded(content)
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}
