-- Roles with the least rights for a lake (src/lake/README.md). Run it as an administrator of PostgreSQL in the database of the
-- catalogue, before anything is published, and again after an update of Faultline:
--
--   createdb faultline && psql -d faultline -f lake-roles.sql
--
-- Then give each role a password (\password faultline_worker …), and run `faultline lake maintain` once with
-- user=faultline_maintenance, which creates the catalogue.

do $$
declare one record;
begin
  for one in select unnest(array['faultline_maintenance', 'faultline_worker', 'faultline_reader']) as name loop
    if not exists (select from pg_roles where rolname = one.name) then
      execute format('create role %I login', one.name);
    end if;
  end loop;
  -- Every role may use temporary tables, large objects and locks that only their holder frees. No reader needs them.
  execute format('revoke temporary on database %I from public', current_database());
  for one in
    select oid::regprocedure as name from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(lo_|lowrite$|loread$|pg_(try_)?advisory)'
  loop
    execute format('revoke execute on function %s from public', one.name);
  end loop;
end $$;

revoke all on schema public from public;
grant usage, create on schema public to faultline_maintenance;
grant usage on schema public to faultline_worker, faultline_reader;

-- `faultline lake maintain` owns the catalogue. Workers publish into it, readers read it; neither can change or drop a table.
alter default privileges for role faultline_maintenance in schema public
  grant select, insert, update, delete on tables to faultline_worker;
alter default privileges for role faultline_maintenance in schema public
  grant select on tables to faultline_reader;

-- For workers only: leases, who may write an account, when each was synced, and the account of a key.
create table if not exists faultline_locks (name text primary key);
create table if not exists faultline_leases (
  account_id bigint primary key, epoch bigint not null, holder text, taken_at timestamptz);
create table if not exists faultline_jobs (name text primary key, holder text not null, due_at timestamptz not null,
  started_at timestamptz not null, finished_at timestamptz, outcome text, failures int not null);
alter table faultline_jobs add column if not exists tries int not null default 0;
create table if not exists faultline_keys (digest text primary key, account_id bigint not null);
-- The record of what was sent. Deliver reports as a worker.
create table if not exists faultline_deliveries (
  key text primary key, report text not null, due text not null, sent_at timestamptz not null);
grant select, insert on faultline_deliveries to faultline_worker, faultline_maintenance;
grant select, insert, update on faultline_locks, faultline_leases, faultline_jobs, faultline_keys to faultline_worker;
grant select, insert, update, delete on faultline_locks, faultline_leases, faultline_jobs, faultline_keys to faultline_maintenance;

-- A session that was cut off in the middle of its commit holds the catalogue no longer than this.
alter role faultline_worker set idle_in_transaction_session_timeout = '10min';
alter role faultline_worker set tcp_keepalives_idle = 20;
alter role faultline_worker set tcp_keepalives_interval = 5;
alter role faultline_worker set tcp_keepalives_count = 4;
