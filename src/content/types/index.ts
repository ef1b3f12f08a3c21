import type { ContentType } from '../content-type.ts'
import { ansibleCollection } from './ansible_collection/index.ts'
import { deb } from './deb/index.ts'
import { docker } from './docker/index.ts'
import { file } from './file/index.ts'
import { ostree } from './ostree/index.ts'
import { python } from './python/index.ts'
import { yum } from './yum/index.ts'

/** All types that there are: the only place that names them. */
export const contentTypes: readonly ContentType[] = [python, ansibleCollection, ostree, yum, file, deb, docker]
