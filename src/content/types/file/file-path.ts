import { AppError } from '../../../platform/errors.ts'
import { checkRepositoryPath, pathProblem } from '../../repository-path.ts'
import { manifestName } from './manifest-name.ts'

/** What keeps a file repository from serving a file under this path, if anything does. */
export function filePathProblem(path: string): string | undefined {
  return pathProblem(path) ?? manifestProblem(path)
}

/** The manifest knows no quoting. */
function manifestProblem(path: string): string | undefined {
  if (path === manifestName) return 'is that of the manifest'
  if (path.includes(',')) return 'holds a comma, which the manifest cannot carry'
  return path.trim() === path ? undefined : 'begins or ends with a blank'
}

/**
 * Checks a path that an upstream gave, in the place that `where` names.
 *
 * @throws AppError `upstream` that names place and path, and says what is wrong with it
 */
export function checkFilePath(path: string, where: string): string {
  try {
    checkRepositoryPath(path)
  } catch (error) {
    throw new AppError('upstream', `Cannot read ${where}`, { cause: error })
  }
  const problem = manifestProblem(path)
  if (problem === undefined) return path
  throw new AppError(
    'upstream',
    `Cannot read ${where}: Cannot take the file ${JSON.stringify(path)}: its path ${problem}`,
  )
}
