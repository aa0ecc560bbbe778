-- Two accounts: desk_owner owns the tables and migrates; desk, of site and workers, reads and writes rows and changes no
-- table. As the superuser, with the passwords of secrets.sh:
--   PASSWORDS=/etc/entry-desk/secrets/database psql -f roles.sql
-- The superuser must be able to read that folder: chown -R postgres /etc/entry-desk/secrets/database
\set ON_ERROR_STOP on
\set owner_password `cat "$PASSWORDS/owner_password"`
\set password `cat "$PASSWORDS/password"`
SELECT length(:'owner_password') = 0 OR length(:'password') = 0 AS unreadable \gset
\if :unreadable
    DO $$BEGIN RAISE 'PASSWORDS must name the folder of secrets.sh with the passwords, and its files must be readable.'; END$$;
\endif
CREATE ROLE desk_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE desk LOGIN PASSWORD :'password';
CREATE DATABASE desk OWNER desk_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE desk FROM PUBLIC;
GRANT CONNECT ON DATABASE desk TO desk;
\connect desk
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO desk_owner;
GRANT USAGE ON SCHEMA public TO desk;
ALTER DEFAULT PRIVILEGES FOR ROLE desk_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO desk;
ALTER DEFAULT PRIVILEGES FOR ROLE desk_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO desk;
