import { AppError } from '../../platform/errors.ts'
import { missingPrograms } from './sandbox.ts'

/** @throws AppError `conflict` that names the programs which are not installed, and their Debian packages */
export async function refuseMissing(nodeName: string, packages: ReadonlyMap<string, string>): Promise<void> {
  const missing = await missingPrograms([...packages.keys()])
  if (missing.length === 0) return
  const wanted = [...new Set(missing.map((program) => packages.get(program)))].join(' and ')
  throw new AppError(
    'conflict',
    `Cannot start ${nodeName}: ${missing.join(' and ')} is not installed (Debian package ${wanted})`,
  )
}
