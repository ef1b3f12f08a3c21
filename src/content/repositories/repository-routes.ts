import type { TObject } from 'typebox'
import { type Call, type Route, route } from '../../platform/http/endpoint.ts'
import { RawReply, textReply } from '../../platform/http/raw-reply.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { repositoryEndpoints as endpoints } from './repository-contract.ts'
import { repositoryListRoutes } from './repository-list-routes.ts'
import type { RepositoryOperations } from './repository-operations.ts'
import { type Presenting, presentRepositoryInFull } from './repository-presenter.ts'
import type { RepositoryService } from './repository-service.ts'
import { presentRepositoryTypes } from './repository-type-list.ts'

export interface RepositoryRoutesParts {
  readonly repositories: RepositoryService
  readonly operations: RepositoryOperations
  /** Known when the content listener is open. */
  readonly contentUrl: () => string
  readonly now: () => number
}

export function repositoryRoutes(parts: RepositoryRoutesParts): Route[] {
  const presenting = (): Presenting => ({ contentUrl: parts.contentUrl(), now: parts.now() })
  return [
    ...repositoryListRoutes(parts.repositories, presenting),
    ...recordRoutes(parts, presenting),
    ...operationRoutes(parts),
    ...removalRoutes(parts),
  ]
}

function recordRoutes({ repositories, operations }: RepositoryRoutesParts, presenting: () => Presenting): Route[] {
  return [
    route(endpoints.types, ({ query }) => presentRepositoryTypes(query.creatable === true)),
    route(endpoints.create, async ({ actor, body }) => {
      const { product_id: productId, name, label, content_type: contentType, ...attributes } = body
      const request = { productId, name, contentType, attributes, ...(label === undefined ? {} : { label }) }
      return presentRepositoryInFull(await repositories.createRepository(actor, request), presenting())
    }),
    route(endpoints.show, async ({ actor, params, query }) => {
      return presentRepositoryInFull(
        await repositories.getRepository(actor, params.id, query.organization_id),
        presenting(),
      )
    }),
    route(endpoints.update, async ({ actor, params, body: { name, ...attributes } }) => {
      return presentRepositoryInFull(
        await repositories.updateRepository(actor, params.id, { name, attributes }),
        presenting(),
      )
    }),
    route(endpoints.delete, async ({ actor, params, query }) => {
      const isForced = query.force === true || query.remove_from_content_view_versions === true
      await operations.deleteRepository(actor, params.id, { isForced })
      return {}
    }),
    route(endpoints.gpgKey, async ({ params }) => {
      const key = await operations.gpgKeyOf(params.id)
      return key === undefined ? new RawReply({ status: 404, headers: {} }) : textReply(key)
    }),
  ]
}

function operationRoutes({ operations, now }: RepositoryRoutesParts): Route[] {
  const present = (task: TaskRow) => presentTask(task, now())
  return [
    route(endpoints.sync, async ({ actor, params, body }) => {
      const options = {
        sourceUrl: body.source_url === '' ? undefined : (body.source_url ?? undefined),
        incremental: body.incremental ?? undefined,
        skipMetadataCheck: body.skip_metadata_check ?? undefined,
        validateContents: body.validate_contents ?? undefined,
      }
      return present(await operations.startSync(actor, params.id, options))
    }),
    route(endpoints.republish, async ({ actor, params }) => present(await operations.startRepublish(actor, params.id))),
    route(endpoints.verify, async ({ actor, params }) => present(await operations.startVerification(actor, params.id))),
  ]
}

type RemovalCall = Pick<
  Call<NonNullable<typeof endpoints.removeContent.params>, TObject, NonNullable<typeof endpoints.removeContent.body>>,
  'actor' | 'params' | 'body' | 'signal'
>

function removalRoutes({ operations, now }: RepositoryRoutesParts): Route[] {
  const remove = async ({ actor, params, body, signal }: RemovalCall) => {
    const removal = { ids: body.ids, contentType: body.content_type ?? undefined }
    return presentTask(await operations.removeContent(actor, params.id, { removal, signal }), now())
  }
  return [
    route(endpoints.removeContent, remove),
    route(endpoints.removePackages, remove),
    route(endpoints.removeManifests, remove),
  ]
}
