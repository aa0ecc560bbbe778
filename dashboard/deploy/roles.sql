-- Two accounts: desk_owner owns the tables and migrates; desk, of site and workers, reads and writes rows and changes no
-- table. As the superuser, with the passwords of secrets.sh:
--   PASSWORDS=/etc/entry-desk/secrets/database psql -f roles.sql
\set ON_ERROR_STOP on
\set owner_password `cat "$PASSWORDS/owner_password"`
\set password `cat "$PASSWORDS/password"`
CREATE ROLE desk_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE desk LOGIN PASSWORD :'password';
CREATE DATABASE desk OWNER desk_owner;
REVOKE ALL ON DATABASE desk FROM PUBLIC;
GRANT CONNECT ON DATABASE desk TO desk;
\connect desk
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO desk_owner;
GRANT USAGE ON SCHEMA public TO desk;
ALTER DEFAULT PRIVILEGES FOR ROLE desk_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO desk;
ALTER DEFAULT PRIVILEGES FOR ROLE desk_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO desk;
