/** Tables of those who may call, and of what the service needs to reach devices: credentials and host keys. */
import { index, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { type Given, list, type Row, sealed, table, whole } from "./columns.ts";

export const keys = table("keys", {
  id: text("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** SHA-256 of the key, hex. */
  hash: text("hash").notNull().unique(),
  scope: text("scope").notNull(),
  /** Host patterns that it may reach; empty: all hosts. */
  hosts: list("hosts").notNull(),
  createdAt: whole("created_at").notNull(),
  expiresAt: whole("expires_at"),
  lastUsedAt: whole("last_used_at"),
  revokedAt: whole("revoked_at"),
  /** Patterns of credentials that it may use; null: no list of its own. */
  credentials: list("credentials"),
  /** Rights that were given to it, beside its scope; null: none. */
  rights: list("rights"),
  /** The person it belongs to, whose rights limit it; null: a key of a machine. */
  personId: text("person_id"),
  /** The key or person that made it, as `writerOf` of libsql/jobs/listing. */
  madeBy: text("made_by"),
  /** Recipes that it may run, and all that it may start; null: no list of its own. */
  recipes: list("recipes"),
});

/** Persons who have signed in at a provider. What one may do is not stored with them: see auth/holders. */
export const persons = table(
  "persons",
  {
    id: text("id").primaryKey(),
    /** URL of the provider, and how it names the person. */
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    name: text("name").notNull().unique(),
    email: text("email"),
    /** As the provider told them at the last sign-in. */
    groups: list("groups").notNull(),
    createdAt: whole("created_at").notNull(),
    signedInAt: whole("signed_in_at").notNull(),
    blockedAt: whole("blocked_at"),
    /** Replaced by a pseudonym. */
    forgottenAt: whole("forgotten_at"),
  },
  (person) => [uniqueIndex("persons_subject").on(person.issuer, person.subject)],
);

/** Persons whose pseudonym is still to be written over their name, in what they did. Deleted when that is done. */
export const erasures = table("erasures", {
  personId: text("person_id").primaryKey(),
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  /** What the person was called. */
  names: list("names").notNull(),
  /** Which of the steps is next, and the key of the last row that it has read; null: none. */
  step: whole("step").notNull(),
  position: whole("position"),
  /** Rows that were changed. */
  changed: whole("changed").notNull(),
  begunAt: whole("begun_at").notNull(),
  /** Whose word it was. */
  byId: text("by_id").notNull(),
  byName: text("by_name").notNull(),
});

/** What persons may do, by their groups at the provider. */
export const roles = table("roles", {
  name: text("name").primaryKey(),
  position: whole("position").notNull(),
  /** Only for persons of this provider; null: of any. */
  issuer: text("issuer"),
  groups: list("groups").notNull(),
  /** Persons that it names, by how their provider names them. */
  subjects: list("subjects").notNull(),
  scope: text("scope").notNull(),
  hosts: list("hosts").notNull(),
  credentials: list("credentials"),
  rights: list("rights").notNull(),
  /** As of a key. */
  recipes: list("recipes"),
  createdAt: whole("created_at").notNull(),
  changedAt: whole("changed_at").notNull(),
});

/** Sessions that stand for a key or a person in a browser. */
export const loginSessions = table(
  "login_sessions",
  {
    sessionId: text("session_id").primaryKey(),
    /** SHA-256 of the token, hex. */
    hash: text("hash").notNull().unique(),
    /** Id of the key or the person. */
    holder: text("key_id").notNull(),
    loggedInAt: whole("logged_in_at").notNull(),
    lastSeenAt: whole("last_seen_at").notNull(),
    endsAt: whole("ends_at").notNull(),
    address: text("address"),
    agent: text("agent"),
    /** Of a person: the session at the provider, which ends this one when it ends. */
    providerSession: text("provider_session"),
    /** It ends then at the latest; null: after the longest time of a key's session. */
    latestEnd: whole("latest_end"),
    /** Of a person: the ID token, which some providers want back before they log anybody out. */
    idToken: sealed("id_token"),
  },
  (session) => [
    index("login_sessions_key").on(session.holder, session.lastSeenAt),
    index("login_sessions_end").on(session.endsAt),
  ],
);

export const loginRequestStates = ["waiting", "confirmed", "denied"] as const;

/** Machines that wait for a person to confirm their login; a row is deleted when it was used, or has ended. */
export const loginRequests = table(
  "login_requests",
  {
    id: text("id").primaryKey(),
    /** SHA-256 of the text that only the machine knows, base64url. */
    challenge: text("challenge").notNull(),
    /** SHA-256 of the code that the person types, hex; null: a browser on the machine brings the code of the login. */
    userCode: text("user_code"),
    /** Where the machine listens for that browser, on its loopback address. */
    port: whole("port"),
    /** As it calls itself. */
    machine: text("machine").notNull(),
    address: text("address"),
    state: text("state", { enum: loginRequestStates }).notNull(),
    /** Who confirmed or denied it. */
    personId: text("person_id"),
    /** SHA-256 of the code that the browser brings, hex. */
    code: text("code"),
    askedAt: whole("asked_at").notNull(),
    endsAt: whole("ends_at").notNull(),
  },
  (request) => [
    uniqueIndex("login_requests_user_code").on(request.userCode),
    index("login_requests_end").on(request.endsAt),
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
    createdAt: whole("created_at").notNull(),
    changedAt: whole("changed_at").notNull(),
    lastUsedAt: whole("last_used_at"),
    /** As of a key. */
    writtenBy: text("written_by"),
    values: sealed("secret").notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.source, credential.ref] })],
);

const hostKeyColumns = {
  host: text("host").notNull(),
  port: whole("port").notNull(),
  type: text("type").notNull(),
  fingerprint: text("fingerprint").notNull(),
  seenAt: whole("seen_at").notNull(),
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
  "name" | "scope" | "hosts" | "credentials" | "rights" | "recipes" | "expiresAt" | "personId"
>;
export type KeyRow = Row<typeof keys>;
export type PersonRow = Row<typeof persons>;
export type ErasureRow = Row<typeof erasures>;
export type RoleRow = Row<typeof roles>;
export type LoginRequestRow = Row<typeof loginRequests>;
export type LoginSessionRow = Row<typeof loginSessions>;
export type CredentialRow = Row<typeof credentials>;
export type HostKeyRow = Row<typeof hostKeys>;
