-- The XML of some hundred packages in each of the three package lists, as zstd frames: a published list is frames one after the
-- other (RFC 8878 section 3). The lengths are those of each package's part, in the order of `pack_index`.
create table rpm_packs (
  id bigint generated always as identity primary key,
  package_count integer not null,
  -- since when its packages are in other packs: who is publishing may still read it
  unused_since timestamptz,
  primary_frame bytea not null,
  primary_lengths integer[] not null,
  filelists_frame bytea not null,
  filelists_lengths integer[] not null,
  other_frame bytea not null,
  other_lengths integer[] not null
);
-- they are compressed already
alter table rpm_packs alter column primary_frame set storage external;
alter table rpm_packs alter column filelists_frame set storage external;
alter table rpm_packs alter column other_frame set storage external;

-- binary and source packages
create table rpm_units (
  unit_id bigint primary key references units on delete cascade,
  name text collate "C" not null,
  epoch integer not null,
  version text collate "C" not null,
  release text collate "C" not null,
  arch text collate "C" not null,
  -- these sort as rpm orders versions, releases, and epochs with both
  version_key text collate "C" not null,
  release_key text collate "C" not null,
  evr_key text collate "C" not null,
  filename text collate "C" not null,
  sha256 text collate "C" not null,
  summary text collate "C" not null,
  source_rpm text collate "C" not null,
  size_bytes bigint not null,
  build_time bigint not null,
  is_modular boolean not null default false,
  pack_id bigint not null references rpm_packs,
  pack_index integer not null
);
create index rpm_units_name on rpm_units (name, arch, evr_key);
create index rpm_units_filename on rpm_units (filename);
create index rpm_units_sha256 on rpm_units (sha256);
create index rpm_units_pack on rpm_units (pack_id);

-- a pack goes with the last of its packages
create function delete_unused_rpm_packs() returns trigger language plpgsql as $$
begin
  delete from rpm_packs p where p.id in (select distinct pack_id from gone)
    and not exists (select 1 from rpm_units r where r.pack_id = p.id);
  return null;
end
$$;
create trigger rpm_units_deleted after delete on rpm_units
  referencing old table as gone for each statement execute function delete_unused_rpm_packs();

create view rpm_packages as
  select r.* from rpm_units r join units u on u.id = r.unit_id where u.kind = 'rpm';
create view rpm_sources as
  select r.* from rpm_units r join units u on u.id = r.unit_id where u.kind = 'srpm';
