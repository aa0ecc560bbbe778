-- Two PostgreSQL accounts, named as the system accounts that they admit: entry-desk-owner owns the tables and migrates;
-- entry-desk, for site and workers, reads and writes rows and changes no table. The superuser can run this repeatedly:
-- psql -f roles.sql
\set ON_ERROR_STOP on
SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['entry-desk', 'entry-desk-owner']) AS name
    WHERE name NOT IN (SELECT rolname FROM pg_roles) \gexec
SELECT 'CREATE DATABASE "entry-desk" OWNER "entry-desk-owner" ENCODING ''UTF8'' TEMPLATE template0'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'entry-desk') \gexec
REVOKE ALL ON DATABASE "entry-desk" FROM PUBLIC;
GRANT CONNECT ON DATABASE "entry-desk" TO "entry-desk";
\connect entry-desk
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO "entry-desk-owner";
GRANT USAGE ON SCHEMA public TO "entry-desk";
ALTER DEFAULT PRIVILEGES FOR ROLE "entry-desk-owner" IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "entry-desk";
ALTER DEFAULT PRIVILEGES FOR ROLE "entry-desk-owner" IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO "entry-desk";
