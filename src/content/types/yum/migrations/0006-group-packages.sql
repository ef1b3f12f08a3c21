-- the names of the packages of a group
alter table comps_units add column packages jsonb not null default '[]';
update comps_units set packages = coalesce(
  (select jsonb_agg(found[1]) from regexp_matches(source, '<packagereq[^>]*>\s*([^<[:space:]]+)\s*</packagereq>', 'g') as found), '[]')
  where element = 'group';
