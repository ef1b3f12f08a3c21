import type { Generated, JSONColumnType, Selectable } from 'kysely'
import type { TaskTables } from '../platform/tasks/tables.ts'
import type { ViewTables } from './view-tables.ts'

export const organizationRoles = ['viewer', 'editor', 'manager'] as const
export type OrganizationRole = (typeof organizationRoles)[number]

export const credentialKinds = ['gpg_key', 'cert'] as const
export type CredentialKind = (typeof credentialKinds)[number]

export const signingAlgorithms = ['ed25519', 'rsa3072', 'rsa4096'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

interface Stamped {
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface OrganizationsTable extends Stamped {
  id: Generated<number>
  name: string
  label: string
  description: string | null
}

interface OrganizationMembersTable {
  organization_id: number
  user_id: number
  role: OrganizationRole
}

interface ProductsTable extends Stamped {
  id: Generated<number>
  organization_id: number
  name: string
  label: string
  description: string | null
  gpg_key_id: number | null
  ssl_ca_cert_id: number | null
  ssl_client_cert_id: number | null
  ssl_client_key_id: number | null
}

interface ContentSetsTable {
  id: Generated<number>
  latest_version: Generated<number>
  task_id: string | null
}

interface ContentSetVersionsTable {
  set_id: number
  number: number
  counts: JSONColumnType<Record<string, number>, string | undefined, string>
  created_at: Generated<Date>
}

interface UnitsTable {
  id: Generated<number>
  kind: string
  natural_key: string
  created_at: Generated<Date>
  touched_at: Generated<Date>
}

interface ContentSetUnitsTable {
  set_id: number
  unit_id: number
  added_in: number
  removed_in: number | null
}

interface UnitFilesTable {
  unit_id: number
  path: string
  sha256: string
  size_bytes: number
  artifact: string | null
}

interface PublicationsTable {
  id: Generated<number>
  set_id: number
  set_version: number
  created_at: Generated<Date>
  retired_at: Date | null
}

interface PublicationFilesTable {
  publication_id: number
  path: string
  sha256: string
  size_bytes: number
}

interface FormerPublicationsTable {
  repository_id: number
  publication_id: number
  retired_at: Generated<Date>
}

interface RootRepositoriesTable extends Stamped {
  id: Generated<number>
  product_id: number
  name: string
  label: string
  description: string | null
  content_type: string
  url: string | null
  unprotected: boolean
  mirror_on_sync: boolean
  verify_ssl_on_sync: boolean
  download_concurrency: number | null
  upstream_username: string | null
  upstream_password_sealed: string | null
  checksum_type: string | null
  download_policy: string | null
  arch: string
  gpg_key_id: number | null
  ssl_ca_cert_id: number | null
  ssl_client_cert_id: number | null
  ssl_client_key_id: number | null
  http_proxy_policy: string
  http_proxy_id: number | null
  type_attributes: JSONColumnType<Record<string, unknown>, string, string>
}

interface RepositoriesTable {
  id: Generated<number>
  root_id: number
  environment_id: number | null
  version_id: number
  library_instance_id: number | null
  set_id: number
  set_version: number | null
  publication_id: number | null
  relative_path: string
  sync_state: JSONColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
  last_sync_task_id: string | null
  last_contents_changed: Date | null
}

interface RemoteFilesTable {
  root_id: number
  unit_id: number
  path: string
  url: string
}

interface SyncStagingTable {
  task_id: string
  unit_id: number
}

interface ContentUploadsTable {
  id: string
  repository_id: number
  size_bytes: number
  created_at: Generated<Date>
  touched_at: Generated<Date>
  imported_at: Date | null
}

interface ContentUploadChunksTable {
  upload_id: string
  start_byte: number
  size_bytes: number
  artifact_start: Generated<number>
  artifact: string
}

interface ContentCredentialsTable extends Stamped {
  id: Generated<number>
  organization_id: number
  name: string
  content_type: CredentialKind
  content_sealed: string
}

interface SigningKeysTable {
  id: Generated<number>
  organization_id: number
  algorithm: SigningAlgorithm
  fingerprint: string
  /** OpenPGP packets. */
  public_key: Buffer
  private_key_sealed: string | null
  created_at: Generated<Date>
  retired_at: Date | null
}

interface HttpProxiesTable extends Stamped {
  id: Generated<number>
  name: string
  url: string
  username: string | null
  password_sealed: string | null
  is_shared: boolean
}

interface HttpProxyOrganizationsTable {
  proxy_id: number
  organization_id: number
}

interface DefaultHttpProxyTable {
  is_only: Generated<boolean>
  proxy_id: number | null
}

export interface ContentTables extends TaskTables, ViewTables {
  organizations: OrganizationsTable
  organization_members: OrganizationMembersTable
  products: ProductsTable
  content_sets: ContentSetsTable
  content_set_versions: ContentSetVersionsTable
  units: UnitsTable
  content_set_units: ContentSetUnitsTable
  unit_files: UnitFilesTable
  publications: PublicationsTable
  publication_files: PublicationFilesTable
  former_publications: FormerPublicationsTable
  root_repositories: RootRepositoriesTable
  repositories: RepositoriesTable
  remote_files: RemoteFilesTable
  sync_staging: SyncStagingTable
  content_credentials: ContentCredentialsTable
  signing_keys: SigningKeysTable
  http_proxies: HttpProxiesTable
  http_proxy_organizations: HttpProxyOrganizationsTable
  default_http_proxy: DefaultHttpProxyTable
  content_uploads: ContentUploadsTable
  content_upload_chunks: ContentUploadChunksTable
}

export type OrganizationRow = Selectable<OrganizationsTable>
export type ProductRow = Selectable<ProductsTable>
export type RootRepositoryRow = Selectable<RootRepositoriesTable>
export type CredentialRow = Selectable<ContentCredentialsTable>
export type SigningKeyRow = Selectable<SigningKeysTable>
export type HttpProxyRow = Selectable<HttpProxiesTable>
