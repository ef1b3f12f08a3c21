-- nodes to be made again and again; those of the kinds themselves are not stored
create table templates (
  id uuid primary key,
  seq bigint generated always as identity,
  owner_id bigint references users on delete set null,
  name text collate "C" not null,
  template_type text not null,
  -- symbol, category and whatever else clients show
  looks jsonb not null,
  -- of the nodes that are made
  properties jsonb not null
);
