import type { ContentType } from '../content-type.ts'
import { file } from './file/index.ts'

/** All types that there are: the only place that names them. */
export const contentTypes: readonly ContentType[] = [file]
