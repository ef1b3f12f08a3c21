-- what vendors say of packages that repair something
create table erratum_units (
  unit_id bigint primary key references units on delete cascade,
  errata_id text collate "C" not null,
  title text collate "C" not null,
  type text collate "C" not null,
  severity text collate "C" not null,
  status text collate "C" not null,
  version text collate "C" not null,
  release text collate "C" not null,
  -- as they are written, and as moments where they can be read
  issued text collate "C" not null,
  updated text collate "C" not null,
  issued_at timestamptz,
  updated_at timestamptz,
  summary text not null,
  description text not null,
  solution text not null,
  reboot_suggested boolean not null,
  -- what it refers to, and its packages: [{"id", "type", "href", "title"}], [{"nevra", "name", "module"}]
  refers_to jsonb not null,
  packages jsonb not null,
  -- its element as it is published
  source text not null
);
create index erratum_units_errata_id on erratum_units (errata_id);
