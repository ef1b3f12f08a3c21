-- the order of lists when nobody asks for another
create index root_repositories_name on root_repositories (name nulls first);
