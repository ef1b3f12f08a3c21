-- what clients are served has changed: a pointer moved, a repository was protected, renamed or deleted
create function announce_served() returns trigger language plpgsql as $$
begin
  perform pg_notify('served', '');
  return null;
end
$$;

create trigger repositories_served
  after update of publication_id, relative_path, environment_id, root_id or delete on repositories
  for each statement execute function announce_served();

create trigger root_repositories_served
  after update of unprotected or delete on root_repositories
  for each statement execute function announce_served();
