-- the ids of credentials and proxies are checked when they are set
alter table root_repositories
  add column checksum_type text,
  add column download_policy text,
  add column arch text not null default 'noarch',
  add column gpg_key_id bigint,
  add column ssl_ca_cert_id bigint,
  add column ssl_client_cert_id bigint,
  add column ssl_client_key_id bigint,
  add column http_proxy_policy text not null default 'global_default_http_proxy',
  add column http_proxy_id bigint,
  -- what only repositories of one content type have
  add column type_attributes jsonb not null default '{}';
