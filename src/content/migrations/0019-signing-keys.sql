-- what organizations sign their repositories with: the key that is not retired signs, the others are still told to clients
create table signing_keys (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organizations on delete cascade,
  algorithm text not null check (algorithm in ('ed25519', 'rsa3072', 'rsa4096')),
  fingerprint text not null,
  public_key bytea not null,
  -- forgotten as soon as the key no longer signs
  private_key_sealed text,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  check ((retired_at is null) = (private_key_sealed is not null))
);
create unique index signing_keys_current on signing_keys (organization_id) where retired_at is null;
create index signing_keys_organization on signing_keys (organization_id);
