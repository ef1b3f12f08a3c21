-- A task begins anew after a crash, so nothing of this has to survive one; and what is staged was touched by the same
-- transaction, which keeps housekeeping from it. Checking each row again costs more than all the rest.
alter table sync_staging drop constraint sync_staging_task_id_fkey;
alter table sync_staging drop constraint sync_staging_unit_id_fkey;
alter table sync_staging set unlogged;
