/** Tables of those who may call, and of what the service needs to reach devices: credentials and host keys. */
import { index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { type Given, list, type Row, sealed, table } from "./columns.ts";

export const keys = table("keys", {
  id: text("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** SHA-256 of the key, hex. */
  hash: text("hash").notNull().unique(),
  scope: text("scope").notNull(),
  /** Host patterns that it may reach; empty: all hosts. */
  hosts: list("hosts").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  revokedAt: integer("revoked_at"),
  /** Patterns of credentials that it may use; null: no list of its own. */
  credentials: list("credentials"),
  /** Rights that were given to it, beside its scope; null: none. */
  rights: list("rights"),
});

/** Sessions that represent a key in a browser. Column names differ from those of keys because the tables are joined. */
export const loginSessions = table(
  "login_sessions",
  {
    sessionId: text("session_id").primaryKey(),
    /** SHA-256 of the token, hex. */
    hash: text("hash").notNull().unique(),
    keyId: text("key_id").notNull(),
    loggedInAt: integer("logged_in_at").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
    endsAt: integer("ends_at").notNull(),
    address: text("address"),
    agent: text("agent"),
  },
  (session) => [
    index("login_sessions_key").on(session.keyId, session.lastSeenAt),
    index("login_sessions_end").on(session.endsAt),
  ],
);

/** Credentials that an administrator has stored here, for requests to reference. */
export const credentials = table(
  "credentials",
  {
    source: text("source").notNull(),
    ref: text("ref").notNull(),
    /** Names of the encrypted fields. */
    fields: list("fields").notNull(),
    createdAt: integer("created_at").notNull(),
    changedAt: integer("changed_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    values: sealed("secret").notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.source, credential.ref] })],
);

const hostKeyColumns = {
  host: text("host").notNull(),
  port: integer("port").notNull(),
  type: text("type").notNull(),
  fingerprint: text("fingerprint").notNull(),
  seenAt: integer("seen_at").notNull(),
};

/** Host keys trusted on first use. */
export const hostKeys = table("host_keys", hostKeyColumns, (key) => [
  primaryKey({ columns: [key.host, key.port, key.type] }),
]);

/** The last key that a host presented in place of a known one, until it is accepted or the known one is forgotten. */
export const hostKeyOffers = table("host_key_offers", hostKeyColumns, (key) => [
  primaryKey({ columns: [key.host, key.port] }),
]);

export type GivenKey = Given<
  typeof keys,
  "name" | "scope" | "hosts" | "credentials" | "rights" | "expiresAt"
>;
export type KeyRow = Row<typeof keys>;
export type LoginSessionRow = Row<typeof loginSessions>;
export type CredentialRow = Row<typeof credentials>;
export type HostKeyRow = Row<typeof hostKeys>;
