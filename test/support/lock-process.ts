// A process that takes the locks of a data folder: it says "locked" and holds them until it is killed, or says why not.
import { dataFolder, lockDataFolder } from '../../src/platform/data-folder/data-folder.ts'
import { messageOf } from '../../src/platform/errors.ts'

const [path = '', ...words] = process.argv.slice(2)
try {
  await lockDataFolder(dataFolder(path), {
    isDatabaseEmbedded: words.includes('embedded'),
    ownsLinks: words.includes('links'),
  })
  process.stdout.write('locked\n')
  process.stdin.resume()
} catch (error) {
  process.stdout.write(`${messageOf(error)}\n`)
}
