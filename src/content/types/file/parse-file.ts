import { AppError } from '../../../platform/errors.ts'
import type { NewUnit, UploadedFile } from '../../content-type.ts'
import { fileKey } from './file-key.ts'
import { filePathProblem } from './file-path.ts'

/** Any bytes are a file; its name is where the repository serves it. */
export async function parseFile({ name: path, sha256, sizeBytes }: UploadedFile): Promise<NewUnit> {
  const problem = filePathProblem(path)
  if (problem !== undefined)
    throw new AppError('invalid', `Cannot take the file ${JSON.stringify(path.slice(0, 200))}: its name ${problem}`)
  return {
    kind: 'file',
    naturalKey: fileKey({ path, sha256 }),
    name: path,
    files: [{ path, sha256, sizeBytes }],
  }
}
