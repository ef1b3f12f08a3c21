import { AppError } from '../../../platform/errors.ts'
import type { NewUnit, UploadedFile } from '../../content-type.ts'
import { pathProblem } from '../../repository-path.ts'
import { fileKey } from './file-key.ts'
import { manifestName } from './manifest.ts'

/** Any bytes are a file; its name is where the repository serves it. */
export async function parseFile({ name: path, sha256, sizeBytes }: UploadedFile): Promise<NewUnit> {
  const problem = pathProblem(path) ?? manifestProblem(path)
  if (problem !== undefined)
    throw new AppError('invalid', `Cannot take the file ${JSON.stringify(path.slice(0, 200))}: its name ${problem}`)
  return {
    kind: 'file',
    naturalKey: fileKey({ path, sha256 }),
    name: path,
    files: [{ path, sha256, sizeBytes }],
  }
}

/** The manifest knows no quoting. */
function manifestProblem(path: string): string | undefined {
  if (path === manifestName) return 'is that of the manifest'
  if (path.includes(',')) return 'holds a comma, which the manifest cannot carry'
  return path.trim() === path ? undefined : 'begins or ends with a blank'
}
