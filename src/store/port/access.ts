/** Who may call: keys, persons, roles and login sessions; and credentials for devices. */

import type { SubmitterCondition } from "../../api/jobs/job.ts";
import type {
  CredentialRow,
  GivenKey,
  KeyRow,
  LoginRequestRow,
  LoginSessionRow,
  PersonRow,
  RoleRow,
} from "../tables/access.ts";
import type { Actor, NewAuditEntry, StoredWriter } from "./trail.ts";

/** Times are milliseconds since 1970. */
export type StoredKey = Omit<KeyRow, "hash" | "madeBy">;

/** A key as listed. */
export interface ListedKey extends StoredKey, StoredWriter {
  /** SHA-256 of the client certificate it stands for, 64 hex digits; null for a text key. */
  readonly certificate: string | null;
  /** Name of the person it belongs to; null: a key of a machine, or the person is known no more. */
  readonly person: string | null;
}

export interface NewKey extends GivenKey {
  /** The clear key, or the SHA-256 of a client certificate, 64 hex digits. */
  readonly key: string | { readonly certificate: string };
}

export interface NewOwnKey extends NewKey {
  readonly personId: string;
}

/** Lists of a key that can be replaced; null: none of its own. */
export type ChangedLists = {
  readonly [K in "credentials" | "rights" | "recipes"]?: StoredKey[K] | undefined;
};

/** `unknown`: no such active key. `last_admin`: it was not revoked. */
export type Revocation = "revoked" | "unknown" | "last_admin";

/** API keys. Only their hashes are stored. */
export interface Keys {
  /**
   * Adds a key, with its audit entry.
   * @returns the id; undefined if the name or the key is taken
   */
  add(key: NewKey, by: Actor): Promise<string | undefined>;

  /**
   * Adds a key of a person, with its audit entry. Keys of the person that ended long ago are deleted; one that has ended
   * gives up its name.
   * @returns `taken`: the person has such a key; `full`: as many keys as `ownKeyLimits` allows
   */
  addOwn(key: NewOwnKey, by: Actor): Promise<{ readonly id: string } | "taken" | "full">;

  /**
   * Adds the key for emergencies, and revokes those before it, in one transaction with their audit entries.
   * @returns the id; undefined if the name or the key is taken
   */
  addBreakGlass(key: NewKey, by: Actor): Promise<string | undefined>;

  /** Oldest first, including revoked and expired keys; those that somebody made, or all. */
  list(madeBy?: SubmitterCondition): Promise<ListedKey[]>;

  /** The same, of one person. */
  ofPerson(personId: string): Promise<ListedKey[]>;

  /** The active key: neither revoked nor expired. */
  find(key: string): Promise<StoredKey | undefined>;

  /** The active key for a client certificate, by its SHA-256. */
  findCertificate(fingerprint: string): Promise<StoredKey | undefined>;

  /** Also finds revoked and expired keys. */
  byId(id: string): Promise<StoredKey | undefined>;

  /**
   * Replaces the lists that are given, with its audit entry; never those of the key for emergencies.
   * @param nameOrId of a key of a person also the name that is shown, `anna/laptop`
   * @returns whether there was such an active key
   */
  change(nameOrId: string, lists: ChangedLists, by: Actor): Promise<boolean>;

  /**
   * Revokes it, with its audit entry.
   * @param lastAdmin `kept`: refuses to revoke the last active admin key that may reach all hosts, even if two nodes
   * revoke concurrently
   */
  revoke(nameOrId: string, by: Actor, lastAdmin?: "kept"): Promise<Revocation>;

  /** Notes a use in memory; `writeUses` writes it. */
  touch(id: string): void;

  /** Writes the uses noted since the last call. */
  writeUses(): Promise<void>;
}

/** Times are milliseconds since 1970. */
export type StoredPerson = PersonRow;
/** Times are milliseconds since 1970. */
export type StoredRole = RoleRow;

/** A role without what the store adds. */
export type NewRole = Omit<StoredRole, "createdAt" | "changedAt">;

/** A person as the provider described them at a sign-in. */
export interface SignIn extends Pick<PersonRow, "issuer" | "subject" | "name" | "email" | "groups"> {}

/** Persons who have signed in. A person is known by the provider and how it names them, never by their name. */
export interface Persons {
  /**
   * Adds the person, or replaces name, e-mail and groups of one who is known, with its audit entry. A name that belongs
   * to somebody else gets a number: `anna-2`. A person who was forgotten begins anew as somebody else.
   * @returns undefined: there are too many persons
   */
  signIn(person: SignIn, from: string | null): Promise<StoredPerson | undefined>;

  byId(id: string): Promise<StoredPerson | undefined>;

  bySubject(issuer: string, subject: string): Promise<StoredPerson | undefined>;

  /** By id or name; of two, whoever has the id. */
  named(nameOrId: string): Promise<StoredPerson | undefined>;

  /** By name, ascending, after a name. */
  page(limit: number, afterName?: string): Promise<StoredPerson[]>;

  /**
   * Blocks the person, or lets them in again, with its audit entry. Sessions of a blocked person and of their
   * keys end; the keys are refused as long as they are blocked.
   * @returns whether there is such a person
   */
  block(id: string, blocked: boolean, by: Actor): Promise<boolean>;

  /**
   * Replaces the name by a pseudonym, with its audit entry; erases e-mail, groups and how the provider names the person,
   * ends the sessions and revokes the keys. The id stays. `erase` does the rest.
   * @returns the pseudonym; undefined: there is no such person, or it was forgotten before
   */
  forget(id: string, by: Actor): Promise<string | undefined>;

  /**
   * Writes pseudonyms over names in jobs, bulks, versions and the audit trail, one batch of rows of one person; no
   * entry is removed. The last batch adds an audit entry. Continues where another process has stopped.
   * @param restMs begins no earlier than this after `forget`: work that was under way may still write the name
   * @returns whether more remains to be done now
   */
  erase(restMs?: number): Promise<boolean>;
}

/** Roles: what persons may do, by their groups. */
export interface Roles {
  /** In the order in which they count. */
  list(): Promise<StoredRole[]>;

  /**
   * Adds or replaces it, with its audit entry. `full`: there are too many.
   * @param lastAdmin `kept`: refuses to take the last role away that gives `admin` without host limits, unless an admin
   * key is in force that is no person's, even if two nodes are asked at once
   */
  put(role: NewRole, by: Actor, lastAdmin?: "kept"): Promise<"added" | "changed" | "full" | "last_admin">;

  /**
   * Removes it, with its audit entry.
   * @param lastAdmin as for `put`
   */
  remove(name: string, by: Actor, lastAdmin?: "kept"): Promise<"removed" | "unknown" | "last_admin">;
}

/** Times are milliseconds since 1970. */
export interface StoredLoginSession
  extends Pick<LoginSessionRow, "holder" | "lastSeenAt" | "address" | "agent" | "providerSession"> {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewLoginSession extends Pick<LoginSessionRow, "holder" | "address" | "agent"> {
  /** In clear text. */
  readonly token: string;
  readonly providerSession?: string | null;
  readonly latestEnd?: number | null;
  /** Of the provider; encrypted by the store. */
  readonly idToken?: string | undefined;
}

/** Sessions that a provider ended: of one of its sessions, of a person, or of both. */
export type EndedAtProvider = { readonly holder: string } | { readonly providerSession: string };

/** Login sessions of keys and persons. Only the hash of the token is stored. Whoever finds one asks its holder next. */
export interface LoginSessions {
  /** Adds one, with its audit entry; if the holder has too many, its least recently used sessions are ended. */
  add(session: NewLoginSession, by: Actor): Promise<StoredLoginSession>;

  /** The active session. */
  find(token: string): Promise<StoredLoginSession | undefined>;

  /** The ID token of an active session; undefined: it has none, or it is damaged. */
  idTokenOf(id: string): Promise<string | undefined>;

  /** Active sessions, newest first; of one holder, or of all. */
  list(holder?: string): Promise<StoredLoginSession[]>;

  /**
   * @param holder only if it belongs to this key or person
   * @returns whether there was such a session
   */
  end(id: string, by: Actor, holder?: string): Promise<boolean>;

  /**
   * Ends all that match, with one audit entry each.
   * @returns their ids
   */
  endAll(which: EndedAtProvider, by: Actor): Promise<string[]>;

  /** Notes a use in memory; `writeUses` writes it. */
  touch(id: string): void;

  /** Writes the uses noted since the last call, and deletes ended sessions. */
  writeUses(): Promise<void>;
}

/** A machine that asks for a key of a person. Times are milliseconds since 1970. */
export type StoredLoginRequest = Omit<LoginRequestRow, "challenge" | "userCode" | "code">;

export interface NewLoginRequest
  extends Pick<LoginRequestRow, "id" | "challenge" | "port" | "machine" | "address"> {
  /** In clear text. */
  readonly userCode: string | null;
}

/** How a person finds the request of a machine: by the id that the browser brings, or by the code. */
export type AskedLogin = { readonly id: string } | { readonly userCode: string };

export interface LoginDecision {
  readonly confirmed: boolean;
  readonly personId: string;
  /** In clear text: the machine must bring it. */
  readonly code: string | null;
}

/** Machines that wait for a person to confirm their login. Only hashes of the codes are stored. */
export interface LoginRequests {
  /** `full`: this address has too many, or all have; see `loginRequestLimits`. */
  add(request: NewLoginRequest): Promise<"added" | "full">;

  /** One that waits. By its id only if it has no code for the person to type. */
  find(asked: AskedLogin): Promise<StoredLoginRequest | undefined>;

  /**
   * The person's answer, once, with its audit entry.
   * @returns the request, or undefined if it waits no more
   */
  decide(asked: AskedLogin, decision: LoginDecision, by: Actor): Promise<StoredLoginRequest | undefined>;

  /** How it stands: undefined if there is none, with that challenge. */
  stateOf(id: string, challenge: string): Promise<StoredLoginRequest | undefined>;

  /**
   * Takes a confirmed one, once.
   * @param code as decided
   */
  take(id: string, challenge: string, code: string | null): Promise<StoredLoginRequest | undefined>;

  /** Those of the ids that wait no more. */
  decided(ids: readonly string[]): Promise<string[]>;
}

/** Times are milliseconds since 1970. */
export type StoredCredential = Omit<CredentialRow, "values" | "writtenBy"> & StoredWriter;

export interface NewCredential {
  readonly source: string;
  readonly ref: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Stored credentials that requests reference (`credential`): encrypted, decrypted only for running jobs, never shown.
 */
export interface Credentials {
  /** Adds or replaces it, with its audit entry. `full`: the limit on their number or size is reached. */
  set(credential: NewCredential, by: Actor): Promise<"added" | "changed" | "full">;

  /** Ordered by source and name, without values; those that somebody wrote, or all. */
  list(writtenBy?: SubmitterCondition): Promise<StoredCredential[]>;

  /**
   * @returns the values by field
   * @throws ServiceError Internal if it was encrypted with another master key or is damaged
   */
  open(source: string, ref: string): Promise<Readonly<Record<string, string>> | undefined>;

  /** Records a use in the audit trail and, if the credential is stored here, in its row. */
  used(name: string, entry: NewAuditEntry): Promise<void>;

  /**
   * Removes it, with its audit entry.
   * @returns whether it existed
   */
  remove(source: string, ref: string, by: Actor): Promise<boolean>;
}
