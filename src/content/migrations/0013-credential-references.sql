alter table products
  add column gpg_key_id bigint constraint products_gpg_key_fkey references content_credentials,
  add column ssl_ca_cert_id bigint constraint products_ssl_ca_cert_fkey references content_credentials,
  add column ssl_client_cert_id bigint constraint products_ssl_client_cert_fkey references content_credentials,
  add column ssl_client_key_id bigint constraint products_ssl_client_key_fkey references content_credentials;

alter table root_repositories
  add constraint root_repositories_gpg_key_fkey foreign key (gpg_key_id) references content_credentials,
  add constraint root_repositories_ssl_ca_cert_fkey foreign key (ssl_ca_cert_id) references content_credentials,
  add constraint root_repositories_ssl_client_cert_fkey foreign key (ssl_client_cert_id) references content_credentials,
  add constraint root_repositories_ssl_client_key_fkey foreign key (ssl_client_key_id) references content_credentials;

create index products_gpg_key on products (gpg_key_id) where gpg_key_id is not null;
create index products_ssl_ca_cert on products (ssl_ca_cert_id) where ssl_ca_cert_id is not null;
create index products_ssl_client_cert on products (ssl_client_cert_id) where ssl_client_cert_id is not null;
create index products_ssl_client_key on products (ssl_client_key_id) where ssl_client_key_id is not null;
create index root_repositories_gpg_key on root_repositories (gpg_key_id) where gpg_key_id is not null;
create index root_repositories_ssl_ca_cert on root_repositories (ssl_ca_cert_id) where ssl_ca_cert_id is not null;
create index root_repositories_ssl_client_cert on root_repositories (ssl_client_cert_id) where ssl_client_cert_id is not null;
create index root_repositories_ssl_client_key on root_repositories (ssl_client_key_id) where ssl_client_key_id is not null;
