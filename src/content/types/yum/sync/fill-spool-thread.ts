import { answerInThread } from '../../../../platform/threads/answer-in-thread.ts'
import { fillSpool, type SpoolOrder } from './fill-spool.ts'

answerInThread((order: SpoolOrder) => fillSpool(order, new AbortController().signal))
