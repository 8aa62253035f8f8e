-- Least rights for those who use a lake (src/warehouse/lake/README.md). As an administrator of PostgreSQL, once, in the database of
-- the catalogue, before anything is published:
--
--   createdb faultline && psql -d faultline -f lake-roles.sql
--
-- Then give each role a password (\password faultline_worker …), and run `faultline maintain` once with
-- user=faultline_maintenance: it makes the catalogue.

create role faultline_maintenance login;
create role faultline_worker login;
create role faultline_reader login;

revoke all on schema public from public;
grant usage, create on schema public to faultline_maintenance;
grant usage on schema public to faultline_worker, faultline_reader;

-- `faultline maintain` owns the catalogue. Workers publish into it, readers read it; neither can change or drop a table.
alter default privileges for role faultline_maintenance in schema public
  grant select, insert, update, delete on tables to faultline_worker;
alter default privileges for role faultline_maintenance in schema public
  grant select on tables to faultline_reader;

-- Who may write an account, and when each was synced: of workers only.
create table faultline_leases (account_id bigint primary key, epoch bigint not null, holder text, taken_at timestamptz);
create table faultline_jobs (name text primary key, holder text not null, due_at timestamptz not null,
  started_at timestamptz not null, finished_at timestamptz, outcome text, failures int not null);
grant select, insert, update on faultline_leases, faultline_jobs to faultline_worker, faultline_maintenance;

-- What was sent: whoever delivers reports is a worker.
create table faultline_deliveries (key text primary key, report text not null, due text not null, sent_at timestamptz not null);
grant select, insert on faultline_deliveries to faultline_worker, faultline_maintenance;
