import type { Actor } from '../../platform/auth/actor.ts'
import type { TaskContext } from '../../platform/tasks/task-handler.ts'
import type { NewTask } from '../../platform/tasks/task-store.ts'
import { organizationScope } from '../organizations/organization-access.ts'
import { deletionKinds } from '../upkeep/reclaim-space.ts'
import type { ViewRow } from '../view-tables.ts'
import type { VersionNumber } from './lifecycle-store.ts'

/** Whoever asked for a task; what it leads to is theirs, too. */
export type TaskUser = NewTask['user']

/** The kinds of tasks that work on content views. */
export const publishKind = 'content.view.publish'
export const promoteKind = 'content.view.promote'
export const removeKind = deletionKinds.versions
export const deleteViewKind = deletionKinds.view
export const republishKind = 'content.view.republish'

export interface PublishInput {
  readonly user: TaskUser
  readonly number?: VersionNumber
  readonly description?: string | null
  /** Further environments that show the version at once. */
  readonly environments?: readonly number[]
}

export interface PromoteInput {
  readonly user: TaskUser
  readonly version_id: number
  readonly environments: readonly number[]
  readonly description?: string | null
}

export interface RemoveInput {
  readonly user: TaskUser
  readonly environments: readonly number[]
  readonly version_ids: readonly number[]
}

interface Work {
  readonly kind: string
  readonly label: string
  readonly humanizedAction: string
  readonly input: object
}

export function userOf(actor: Actor): TaskUser {
  return { id: actor.userId, login: actor.login }
}

/** A task that works on a content view; those of one view run one after the other. */
export function viewTask(view: ViewRow, user: TaskUser, { kind, label, humanizedAction, input }: Work): NewTask {
  const { id, name, label: viewLabel, organization_id: organizationId } = view
  return {
    kind,
    label,
    action: `${humanizedAction} content view '${name}'`,
    humanizedAction,
    humanizedInput: [['content_view', { text: `content view '${name}'`, link: `/content_views/${id}/` }]],
    input: { content_view: { id, name, label: viewLabel }, user, ...input },
    resources: [{ name: viewResource(id), mode: 'exclusive' }],
    user,
    scope: organizationScope(organizationId),
  }
}

export function viewResource(id: number): string {
  return `view:${id}`
}

/** The view that a task is about. */
export function viewOf({ input }: TaskContext): { readonly id: number; readonly name: string } {
  return input['content_view'] as { id: number; name: string }
}

export function publishTask(view: ViewRow, input: PublishInput): NewTask {
  return viewTask(view, input.user, {
    kind: publishKind,
    label: 'Actions::Katello::ContentView::Publish',
    humanizedAction: 'Publish',
    input,
  })
}
