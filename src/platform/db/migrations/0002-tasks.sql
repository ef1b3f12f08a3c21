-- Order matters here: a task's place in the queue of each of its resources is its `seq`, which is drawn after the
-- queue locks of all its resources are held (see task-store.ts).
create table tasks (
  id uuid primary key,
  seq bigint generated always as identity unique,
  kind text not null,
  label text not null,
  action text not null,
  humanized_action text not null,
  humanized_input jsonb not null default '[]',
  input jsonb not null default '{}',
  output jsonb not null default '{}',
  errors jsonb not null default '[]',
  state text not null default 'planned' check (state in ('planned', 'running', 'paused', 'stopped')),
  result text not null default 'pending' check (result in ('pending', 'success', 'warning', 'error', 'cancelled')),
  progress double precision not null default 0 check (progress between 0 and 1),
  progress_text text not null default '',
  is_cancel_requested boolean not null default false,
  attempts integer not null default 0,
  holder bigint,
  parent_id uuid references tasks on delete cascade,
  user_id bigint references users on delete set null,
  username text not null,
  -- who may see it besides its user, in words of the part that made it: 'organization:1'
  scope text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  check ((state = 'running') = (holder is not null)),
  check ((state = 'stopped') = (ended_at is not null)),
  check ((state = 'stopped') = (result <> 'pending'))
);
create index tasks_unfinished on tasks (seq) where state <> 'stopped';
create index tasks_holder on tasks (holder) where state = 'running';
create index tasks_parent on tasks (parent_id);
create index tasks_created_at on tasks (created_at);

create table task_resources (
  task_id uuid not null references tasks on delete cascade,
  resource text collate "C" not null,
  is_exclusive boolean not null,
  primary key (task_id, resource)
);
create index task_resources_resource on task_resources (resource);

-- a stopped task holds nothing: claims look at what is held, not at all that ever was
create function release_task_resources() returns trigger language plpgsql as $$
begin
  delete from task_resources where task_id = new.id;
  return null;
end $$;
create trigger tasks_release after update of state on tasks for each row
  when (new.state = 'stopped' and old.state <> 'stopped') execute function release_task_resources();

-- each process that runs tasks holds a session lock on its row's id for as long as it lives
create table task_holders (
  id bigint generated always as identity primary key,
  process text not null,
  started_at timestamptz not null default now()
);
