import { randomUUID } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file of mode 0600 that was not there, whole or not at all, and gives what the file holds: the text
 * of whoever was first.
 */
export async function writeOnce(path: string, text: string): Promise<string> {
  const temporary = join(dirname(path), `.${randomUUID()}`)
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await file.close()
    await unlink(temporary)
  }
  return readFile(path, 'utf8')
}
