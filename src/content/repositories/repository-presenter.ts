import { timestamp } from '../../platform/http/timestamps.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import { agoInWords } from '../ago-in-words.ts'
import { credentialIdsOf } from '../credentials/credential-references.ts'
import { contentTypes } from '../types/index.ts'
import type { AttributeValues } from '../unit-filter.ts'
import type { RepositoryView, SingleRepositoryView } from './repository-service.ts'
import type { RepositoryRecord } from './repository-store.ts'
import { shownOwnValues } from './repository-values.ts'

export interface Presenting {
  /** How clients reach the content listener. */
  readonly contentUrl: string
  readonly now: number
}

/** The record of lists. */
export function presentRepository({ repository, lastSync }: RepositoryView, { contentUrl, now }: Presenting): object {
  return {
    id: repository.id,
    name: repository.name,
    label: repository.label,
    description: repository.description,
    content_type: repository.content_type,
    url: repository.url,
    arch: repository.arch,
    os_versions: ownValues(repository)['os_versions'],
    content_id: String(repository.root_id),
    major: null,
    minor: null,
    backend_identifier: `repository-${repository.id}`,
    version_href: `/content/sets/${repository.set_id}/versions/${repository.set_version}/`,
    remote_href: null,
    publication_href: null,
    container_repository_name: null,
    relative_path: repository.relative_path,
    full_path: `${contentUrl}/content/${repository.relative_path}/`,
    library_instance_id: repository.library_instance_id,
    kt_environment: environmentOf(repository),
    product: {
      id: repository.product_id,
      cp_id: String(repository.product_id),
      name: repository.product_name,
      orphaned: false,
      redhat: false,
      sync_plan: null,
    },
    content_view: { id: repository.view_id, name: repository.view_name },
    content_view_version: {
      id: repository.version_id,
      name: versionName(repository),
      content_view_id: repository.view_id,
    },
    content_label: contentLabel(repository),
    content_counts: contentCounts(repository),
    last_sync: lastSync === undefined ? null : presentLastSync(lastSync),
    last_sync_words: lastSync?.ended_at ? agoInWords(now - lastSync.ended_at.getTime()) : null,
  }
}

/** The record of single repositories: what lists show, and all attributes. Secrets are only said to exist. */
export function presentRepositoryInFull(view: SingleRepositoryView, presenting: Presenting): object {
  const { repository } = view
  const hasPassword = repository.upstream_password_sealed !== null
  return {
    ...presentRepository(view, presenting),
    organization_id: repository.organization_id,
    organization: {
      name: repository.organization_name,
      label: repository.organization_label,
      id: repository.organization_id,
    },
    environment:
      repository.environment_id === null
        ? null
        : { ...environmentOf(repository), registry_unauthenticated_pull: false },
    created_at: timestamp(repository.created_at),
    updated_at: timestamp(repository.updated_at),
    last_contents_changed: timestamp(repository.last_contents_changed),
    promoted: false,
    content_view_version_id: repository.version_id,
    ostree_branches: [],
    computed_ostree_upstream_sync_depth: 0,
    ...ownValues(repository),
    ...view.facts,
    ...credentials(view),
    ...httpProxy(view),
    unprotected: repository.unprotected,
    mirror_on_sync: repository.mirror_on_sync,
    verify_ssl_on_sync: repository.verify_ssl_on_sync,
    checksum_type: repository.checksum_type,
    download_policy: repository.download_policy,
    download_concurrency: repository.download_concurrency,
    upstream_username: repository.upstream_username,
    upstream_password_exists: hasPassword,
    upstream_auth_exists: hasPassword && repository.upstream_username !== null,
    permissions: { deletable: true },
    content_view_environments: [],
  }
}

function versionName({ view_name: view, version_major: major, version_minor: minor }: RepositoryRecord): string {
  return `${view} ${major}.${minor}`
}

function ownValues(repository: RepositoryRecord): AttributeValues {
  const type = contentTypes.find(({ name }) => name === repository.content_type)
  return type === undefined ? {} : shownOwnValues(type, repository)
}

function credentials({ repository, credentialNames }: RepositoryView): object {
  const { gpg_key_id, ssl_ca_cert_id, ssl_client_cert_id, ssl_client_key_id } = repository
  const named = (id: number | null) => ({ id, name: id === null ? null : (credentialNames.get(id) ?? null) })
  return {
    ...credentialIdsOf(repository),
    gpg_key: gpg_key_id === null ? null : named(gpg_key_id),
    ssl_ca_cert: named(ssl_ca_cert_id),
    ssl_client_cert: named(ssl_client_cert_id),
    ssl_client_key: named(ssl_client_key_id),
  }
}

function httpProxy({ repository, proxies: { selected, effective } }: RepositoryView): object {
  const { http_proxy_id: id, http_proxy_policy: policy } = repository
  return {
    http_proxy_policy: policy,
    http_proxy_id: id,
    http_proxy_name: selected?.name ?? null,
    http_proxy: { id: effective?.id ?? null, name: effective?.name ?? null, policy },
  }
}

function environmentOf({
  environment_id,
  environment_name,
}: RepositoryRecord): { id: number; name: string | null } | null {
  return environment_id === null ? null : { id: environment_id, name: environment_name }
}

function contentLabel({ organization_label, product_label, label }: RepositoryRecord): string {
  return [organization_label, product_label, label].join('_').replaceAll(' ', '_')
}

function contentCounts({ counts }: RepositoryRecord): Record<string, number> {
  const counted = contentTypes.flatMap(({ unitKinds, countAliases }) => [
    ...unitKinds.flatMap(({ kind, countKey }) => (countKey === undefined ? [] : [[countKey, counts[kind] ?? 0]])),
    ...Object.entries(countAliases ?? {}).map(([alias, kind]) => [alias, counts[kind] ?? 0]),
  ])
  return Object.fromEntries(counted)
}

function presentLastSync({ id, username, started_at, ended_at, state, result, progress }: TaskRow): object {
  return { id, username, started_at: timestamp(started_at), ended_at: timestamp(ended_at), state, result, progress }
}
