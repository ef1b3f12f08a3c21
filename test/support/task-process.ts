// A process that runs tasks of the kind `work` and never ends one: it says their ids, and waits to be killed.
import { startTaskWorker } from './task-worker.ts'

const [url = ''] = process.argv.slice(2)
await startTaskWorker(url, {
  handlers: {
    work: async (task) => {
      process.stdout.write(`${task.id}\n`)
      await new Promise(() => undefined)
    },
  },
})
