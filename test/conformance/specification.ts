/** A row of a table of the specification of the repository interface, with the tests that show that it holds. */
export interface SpecificationRow {
  readonly what: string
  /** `file under test/integration, test/clients or src: words of a test's title`. */
  readonly tests: readonly string[]
  /** What is still to come with the content type that it is for. */
  readonly withType?: string
}

export interface SpecificationTable {
  readonly title: string
  readonly rows: readonly SpecificationRow[]
}

const lists = 'repositories: is shown with all counts, and listed in every scope'
const parameters = 'repository-places: gives exactly what is there'
const refused = 'repository-list-parameters: is refused with 422 for'
const unit = 'repository-list-parameters: takes each of its ids'
const otherUnit = 'repository-list-parameters: is empty for the id of another kind'
const found = 'search: a search for repositories'
const kept = 'repositories: is kept, changed and unset'
const refusedAttribute = 'repositories: is refused by its name'
const own = 'repository-values: are set, stored and shown'
const foreign = 'repository-values: are refused by name for every other type'
const credential = 'credential-use: uses a credential as its'
const newest = 'dnf: keeps only so many versions of each package'
const options = 'repositories: refuses sync options that make no sense'
const tree = 'yum-tree: is told by its repository'
const chunks = 'chunked-uploads: takes multipart, urlencoded and raw bytes in any order'
const removal = 'repositories: removes units by any of the three addresses, of the kind that is said or meant'

const row = (what: string, ...tests: string[]): SpecificationRow => ({ what, tests })
const later = (type: string, what: string, ...tests: string[]): SpecificationRow => ({ what, tests, withType: type })

export const specification: readonly SpecificationTable[] = [
  {
    title: 'Operations',
    rows: [
      row('GET /content/api/repositories', lists, 'search: works in every scope'),
      row('GET /content/api/content_views/{id}/repositories', lists, parameters),
      row('GET /content/api/organizations/{organization_id}/repositories', lists, 'search: works in every scope'),
      row('GET /content/api/organizations/{organization_id}/environments/{environment_id}/repositories', lists),
      row('GET /content/api/products/{product_id}/repositories', lists, 'search: works in every scope'),
      row('GET /content/api/environments/{environment_id}/products/{product_id}/repositories', lists),
      row('POST /content/api/repositories', kept, 'repository-rights: create a repository: managers'),
      row('GET /content/api/repositories/repository_types', 'repositories: has types of which some can be created'),
      row('PUT /content/api/repositories/{id}/republish', 'repositories: republishes'),
      row('GET /content/api/repositories/{id}', lists),
      row('POST /content/api/repositories/{id}/sync', 'file-sync: serves every file byte for byte, and the manifest'),
      row('POST /content/api/repositories/{id}/verify_checksum', 'repositories: repairs damaged bytes of units'),
      row('PUT /content/api/repositories/{id}', kept, 'products: keeps all of many changes that are made at once'),
      row(
        'DELETE /content/api/repositories/{id}',
        'repositories: deletes, also while a sync runs',
        'view-deletion: is deleted by force as soon as no environment shows it',
      ),
      row('PUT /content/api/repositories/{id}/remove_packages', removal),
      row('PUT /content/api/repositories/{id}/remove_docker_manifests', removal),
      row('PUT /content/api/repositories/{id}/remove_content', removal),
      row('POST /content/api/repositories/{id}/upload_content', 'uploads: serves several files byte for byte'),
      row('PUT /content/api/repositories/{id}/import_uploads', chunks),
      row(
        'GET /content/api/repositories/{id}/gpg_key_content',
        'credential-use: shows the text of its key to everybody',
      ),
    ],
  },
  {
    title: 'Parameters of lists',
    rows: [
      row('organization_id', lists, parameters),
      row('product_id', lists, parameters),
      row('environment_id', lists, parameters),
      row('content_view_id', parameters, refused),
      row('content_view_version_id', parameters, refused),
      later('deb', 'deb_id', otherUnit),
      row('erratum_id', otherUnit, 'yum-lists: is listed with advisories'),
      row('rpm_id', otherUnit, 'yum-lists: is listed with packages'),
      row('file_id', unit, 'repository-list-parameters: is empty for what is no such unit'),
      later('ansible_collection', 'ansible_collection_id', otherUnit),
      later('ostree', 'ostree_branch_id', otherUnit),
      row('library', parameters, refused),
      row('archived', parameters, refused),
      row('content_type', lists, refused),
      row('name', lists),
      row('label', lists),
      row('description', lists),
      row('available_for', parameters, refused),
      row('with_content', 'repository-list-parameters: is cut down to those with content', refused),
      row('download_policy', lists),
      row('username', 'repository-list-parameters: is for administrators', parameters),
      row('search', found, 'searched-lists: is told in an empty answer'),
      row('page', "search: tells what there is, what was found and what was asked, on Katello's lists"),
      row('per_page', "search: tells what there is, what was found and what was asked, on Katello's lists"),
      row('order', 'search: the order of repositories'),
      row('full_result', "search: tells what there is, what was found and what was asked, on Katello's lists"),
      row('sort_by', 'search: the order of repositories'),
      row('sort_order', 'search: the order of repositories'),
    ],
  },
  {
    title: 'Search fields',
    rows: [
      later('docker', 'container_repository_name', found),
      row('content_label', found),
      row('content_type', found),
      row('content_view_id', found, 'repository-places: searches the views that repositories belong to'),
      row('description', found),
      row('distribution_arch', found, tree),
      row('distribution_bootable', found, tree),
      row('distribution_family', found, tree),
      row('distribution_variant', found, tree),
      row('distribution_version', found, tree),
      row('download_policy', found),
      row('label', found),
      row('name', found),
      row('product', found),
      row('product_id', 'search: finds by the ids of product and repository'),
      row('product_name', found),
      row('vendor', found),
    ],
  },
  {
    title: 'Attributes, in create and update',
    rows: [
      row('name', kept, refusedAttribute),
      row('description', kept),
      row('label', 'repositories: can be a new name, but not a new label, product or type'),
      row('product_id', 'repositories: can be a new name, but not a new label, product or type'),
      row('content_type', 'repositories: can be a new name, but not a new label, product or type', refusedAttribute),
      row('url', kept, refusedAttribute),
      row('os_versions', own, foreign, 'dnf: published with gzip'),
      row('gpg_key_id', credential, 'credential-use: refuses as its'),
      row(
        'ssl_ca_cert_id',
        credential,
        'credential-use: shows its client certificate to an upstream that asks for one',
      ),
      row('ssl_client_cert_id', credential, 'credential-use: shows its client certificate to its own upstream only'),
      row(
        'ssl_client_key_id',
        credential,
        'credential-use: shows its client certificate to an upstream that asks for one',
      ),
      row('unprotected', kept, 'file-sync: keeps a protected repository to those who may see it'),
      row('checksum_type', kept, refusedAttribute, 'dnf-mixed: with the checksum type'),
      later('docker', 'docker_upstream_name', own, foreign),
      later('docker', 'docker_tags_whitelist', own, foreign),
      row('download_policy', kept, 'on-demand: are listed, counted and described, and not fetched, by a sync'),
      row(
        'download_concurrency',
        kept,
        'on-demand: are sent credentials of their repository, and their upstream is asked',
      ),
      row('mirror_on_sync', kept, 'file-sync: keeps what the upstream no longer has when it does not mirror'),
      row('verify_ssl_on_sync', kept, 'credential-use: takes any certificate when it is told not to look'),
      row('upstream_username', kept, 'file-sync: sends the upstream its credentials, and shows them to nobody'),
      row('upstream_password', 'repositories: is never shown when it is a password, and goes with the user'),
      later('ostree', 'ostree_upstream_sync_policy', own, foreign),
      later('ostree', 'ostree_upstream_sync_depth', own, foreign),
      later('deb', 'deb_releases', own, foreign),
      later('deb', 'deb_components', own, foreign),
      later('deb', 'deb_architectures', own, foreign),
      row('ignorable_content', own, foreign, newest),
      later('ansible_collection', 'ansible_collection_requirements', own, foreign),
      later('ansible_collection', 'ansible_collection_auth_url', own, foreign),
      later('ansible_collection', 'ansible_collection_auth_token', 'repository-values: is sealed where it is stored'),
      row(
        'http_proxy_policy',
        kept,
        'proxied-sync: goes around every proxy by the policy none, and else through the default',
      ),
      row('http_proxy_id', 'http-proxies: names a proxy, which cannot be deleted until then, and shows it'),
      row('arch', kept),
      row('retain_package_versions_count', own, foreign, newest),
      later('python', 'excludes', own, foreign),
      later('python', 'includes', own, foreign),
      later('python', 'package_types', own, foreign),
    ],
  },
  {
    title: 'Other parameters',
    rows: [
      row('repository_types: creatable', 'repositories: has types of which some can be created'),
      row('show: organization_id', lists),
      row('sync: source_url', 'repositories: syncs from elsewhere once, and removes nothing when it is incremental'),
      row('sync: incremental', 'repositories: syncs from elsewhere once, and removes nothing when it is incremental'),
      row(
        'sync: skip_metadata_check',
        'yum-changing-upstream: to skip the check of metadata reads all of it again',
        options,
      ),
      row('sync: validate_contents', 'yum-changing-upstream: to validate what it has finds what was damaged', options),
      row('remove_content: ids', removal),
      row('remove_content: content_type', removal),
      row('remove_content: sync_capsule', removal),
      row(
        'upload_content: content',
        'uploads: serves several files byte for byte',
        'uploads: takes 300 MB in flat memory',
      ),
      row(
        'upload_content: content_type',
        'uploads: is 422 without a file and for a kind that the repository does not hold',
      ),
      row('import_uploads: async', 'chunked-uploads: is imported by a task of its own with async'),
      row(
        'import_uploads: publish_repository',
        'chunked-uploads: is published with the last of several, when asked for',
      ),
      row('import_uploads: sync_capsule', chunks),
      row('import_uploads: content_type', chunks),
      row('import_uploads: uploads[id]', chunks),
      row('import_uploads: uploads[content_unit_id]', chunks),
      row('import_uploads: uploads[size]', 'chunked-uploads: is 422 while bytes are missing, for another size'),
      row('import_uploads: uploads[checksum]', 'chunked-uploads: is 422 while bytes are missing, for another size'),
      row('import_uploads: uploads[name]', chunks),
      later('docker', 'import_uploads: uploads[digest]', chunks),
    ],
  },
]
