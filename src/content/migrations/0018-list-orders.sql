-- the order of lists when nobody asks for another
create index root_repositories_name on root_repositories (name nulls first);
-- counts what lists hold that say no place, however many copies there are
create index repositories_in_library on repositories (version_id) where library_instance_id is null;
-- files are listed by the last part of their path
create index unit_files_name on unit_files (regexp_replace(path, '^.*/', '') nulls first);
