import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The process ids of the children of a process (proc(5), `/proc/pid/task/tid/children`); none when it has ended. */
export async function childrenOf(pid: number): Promise<number[]> {
  const tasks = `/proc/${pid}/task`
  try {
    const lists = (await readdir(tasks)).map((task) => readFile(join(tasks, task, 'children'), 'utf8'))
    return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  } catch {
    return []
  }
}

/** Sends a signal to a process and all its descendants, also to those that were started meanwhile. */
export async function signalTree(root: number, signal: NodeJS.Signals): Promise<void> {
  const done = new Set<number>()
  let found = [root]
  while (found.length > 0) {
    for (const pid of found) {
      done.add(pid)
      tryToSignal(pid, signal)
    }
    const children = (await Promise.all([...done].map(childrenOf))).flat()
    found = children.filter((pid) => !done.has(pid))
  }
}

function tryToSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended meanwhile
  }
}
