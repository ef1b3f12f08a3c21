-- what is on of the things that may be said of filters of its type
alter table content_view_filters add column options text[] not null default '{}';
