/** The interface of administration: keys, sessions, credentials, host keys, workers, plugins, statistics, audit. */

import type { CredentialRecord } from "../api/access/credential.ts";
import type { HostKeyRecord } from "../api/access/host-key.ts";
import type { KeyRecord, MadeKey } from "../api/access/key.ts";
import type { LoginWays } from "../api/access/login.ts";
import type {
  AskedLoginRequest,
  DecidedLogin,
  LoginToken,
  WaitingLogin,
} from "../api/access/login-request.ts";
import type { LoginSessionRecord } from "../api/access/login-session.ts";
import type {
  ForgottenPerson,
  MeRecord,
  PersonRecord,
  RolePreview,
  RoleRecord,
} from "../api/access/person.ts";
import type { AuditEntry } from "../api/admin/audit.ts";
import type { PluginRecord } from "../api/admin/plugin.ts";
import type { StatisticsRecord } from "../api/admin/statistics.ts";
import type { WorkerRecord } from "../api/admin/worker.ts";
import type { Body } from "../api/body.ts";
import type { WorkerFilter, WriterFilter } from "../api/filters.ts";
import type { Caller } from "../auth/port.ts";
import type { Identity, SignInStart } from "../oidc/port.ts";
import type { NamedLogin } from "./machine-logins.ts";

/** Checks scope and reach of the caller. All throw ServiceError: Forbidden, Unavailable when the store does not answer. */
export interface Admin {
  /** Workers of all nodes. Scope `read`. */
  workers(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]>;
  /** Stops workers; their jobs fail as WorkerLost. Scope `operate`. @returns names. @throws ServiceError Validation (no filter) */
  stopWorkers(filter: WorkerFilter, caller: Caller): Promise<string[]>;
  /** API keys without their secrets, including revoked and expired ones. Scope `admin`, without host limits. */
  listKeys(caller: Caller, filter?: WriterFilter): Promise<KeyRecord[]>;
  /** Creates a key, shown only once. Scope as `listKeys`. @throws ServiceError Validation, Conflict (the name is taken) */
  addKey(body: Body, caller: Caller): Promise<MadeKey>;
  /** Changes the allowed credentials and the rights, effective within seconds. Scope as `listKeys`. @throws ServiceError Validation, NotFound */
  changeKey(nameOrId: string, body: Body, caller: Caller): Promise<void>;
  /** Keys of the person who calls, also those that have ended. Scope `read`. @throws ServiceError Forbidden (no person) */
  listOwnKeys(caller: Caller): Promise<KeyRecord[]>;
  /**
   * Creates a key of the person who calls, shown only once, with no more than the caller has. Scope `read`.
   * @throws ServiceError Validation, Forbidden, Conflict (the name is taken, or the person has too many)
   */
  addOwnKey(body: Body, caller: Caller): Promise<MadeKey>;
  /**
   * Revokes a key of the person who calls, by its id or name; `current` is the caller's own. Scope `read`.
   * @returns its id. @throws ServiceError NotFound, Forbidden (it has more than the calling key)
   */
  revokeOwnKey(name: string, caller: Caller): Promise<string>;
  /** In the order in which they count. Scope as `listKeys`. */
  listRoles(caller: Caller): Promise<RoleRecord[]>;
  /**
   * Adds or replaces a role, effective on this node at once. Scope as `listKeys`.
   * @throws ServiceError Validation, Forbidden (it gives more than the caller has), PayloadTooLarge (too many),
   * Conflict (nobody would be an admin)
   */
  putRole(
    name: string,
    body: Body,
    caller: Caller,
  ): Promise<{ outcome: "added" | "changed"; role: RoleRecord }>;
  /** Scope as `listKeys`. @throws ServiceError NotFound, Forbidden, Conflict as `putRole` */
  removeRole(name: string, caller: Caller): Promise<void>;
  /** Which role would count for somebody, and why. Scope as `listKeys`. @throws ServiceError Validation, NotFound */
  previewRole(body: Body, caller: Caller): Promise<RolePreview>;
  /** By name, each with what the person may do now. Scope as `listKeys`. @param after a name */
  listPersons(
    caller: Caller,
    limit: number,
    after: string | undefined,
  ): Promise<{ persons: readonly PersonRecord[]; next: string | undefined }>;
  /** Scope as `listKeys`. @throws ServiceError NotFound */
  readPerson(nameOrId: string, caller: Caller): Promise<PersonRecord>;
  /**
   * Blocks a person or lets them in again, on this node at once. Scope as `listKeys`.
   * @throws ServiceError Validation, NotFound, Forbidden (the person may more than the caller), Conflict (themselves)
   */
  changePerson(nameOrId: string, body: Body, caller: Caller): Promise<PersonRecord>;
  /** Replaces the name by a pseudonym. Scope as `listKeys`. @throws ServiceError as `changePerson` */
  forgetPerson(nameOrId: string, caller: Caller): Promise<ForgottenPerson>;
  /** Who the caller is, and what it may do. Scope `read`. */
  whoAmI(caller: Caller): Promise<MeRecord>;
  /**
   * A machine asks for a key of the person who will confirm it.
   * @param from its address. @throws ServiceError Validation, TooManyRequests (too many wait)
   */
  askForLogin(body: Body, from: string | null): Promise<AskedLoginRequest>;
  /**
   * What asks, for the person to compare. Only in a session of a person.
   * @throws ServiceError Forbidden, Validation, NotFound, TooManyRequests (wrong codes)
   */
  waitingLogin(named: NamedLogin, caller: Caller): Promise<WaitingLogin>;
  /** The person's answer; throws as `waitingLogin`. */
  decideLogin(body: Body, caller: Caller): Promise<DecidedLogin>;
  /**
   * The machine takes its key, once; without a code it waits for the person for a while.
   * @throws ServiceError Validation, NotFound (ended, used, unknown), Forbidden (denied), Conflict (too many keys)
   */
  exchangeLogin(body: Body, from: string | null, signal: AbortSignal): Promise<LoginToken>;
  /**
   * Called for each request: makes a use of the key for emergencies loud.
   * @param what the request, without its query: `POST /key`
   */
  noteBreakGlass(caller: Caller, what: string): Promise<void>;
  /** Stored credentials without their values. Scope as `listKeys`. */
  listCredentials(caller: Caller, filter?: WriterFilter): Promise<CredentialRecord[]>;
  /**
   * Stores or replaces a credential. Scope as `listKeys`.
   * @throws ServiceError Validation, PayloadTooLarge (too many credentials)
   */
  setCredential(
    ref: string,
    source: string,
    body: Body,
    caller: Caller,
    keep?: boolean,
  ): Promise<"added" | "changed">;
  /** Scope as `listKeys`. @throws ServiceError NotFound */
  removeCredential(ref: string, source: string, caller: Caller): Promise<void>;
  /** Known host keys of devices within reach, and what hosts presented in place of them. Scope `read`. */
  listHostKeys(host: string | undefined, caller: Caller): Promise<HostKeyRecord[]>;
  /** @returns how many keys. Scope `admin`. @throws ServiceError NotFound (unknown, or out of reach) */
  forgetHostKey(host: string, port: number | undefined, caller: Caller): Promise<number>;
  /**
   * Replaces the known key with the one that the host presented. Scope `admin`.
   * @throws ServiceError Validation, NotFound (as above), Conflict (the host has not presented that key)
   */
  acceptHostKey(host: string, body: Body, caller: Caller): Promise<HostKeyRecord[]>;
  /** Scope as `listKeys`. @throws ServiceError NotFound, Conflict (the last admin key) */
  revokeKey(nameOrId: string, caller: Caller): Promise<void>;
  /**
   * Starts a login session for the key of the caller. Scope `read`.
   * @param agent User-Agent of the caller.
   * @returns its token, shown only once. @throws ServiceError Forbidden (the caller uses a session)
   */
  beginLoginSession(
    caller: Caller,
    agent: string | null,
  ): Promise<{ token: string; session: LoginSessionRecord }>;
  /** Sessions of the caller's key; all sessions for an admin key without host limits. Scope `read`. */
  listLoginSessions(caller: Caller): Promise<LoginSessionRecord[]>;
  /**
   * Ends a visible session; `current` is the caller's own. Scope `read`.
   * @returns its id. @throws ServiceError NotFound
   */
  endLoginSession(name: string, caller: Caller): Promise<string>;
  /** Loaded and refused plugins. Scope `admin`. */
  listPlugins(caller: Caller): Promise<PluginRecord[]>;
  /** Outcomes of visible jobs in the last minutes. Scope `read`. */
  statistics(minutes: number, caller: Caller): Promise<StatisticsRecord>;
  /** Audit entries, newest first. Scope `admin`. @throws ServiceError BadRequest (an invalid cursor) */
  audit(filter: AuditFilter, caller: Caller): Promise<AuditPage>;
}

/** Times as ISO 8601; a page may hold fewer entries than `limit` although there are more. */
export interface AuditFilter {
  /** Name or id of a key. */
  readonly who?: string;
  /** An action (`key.add`), or all of a kind (`key`). */
  readonly action?: string;
  readonly host?: string;
  /** Inventory name. */
  readonly device?: string;
  readonly bulk_id?: string;
  readonly job_id?: string;
  readonly ticket?: string;
  /** `<name>` or `<kind>:<name>`. */
  readonly submitted_by?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  next_cursor: string | null;
}

/** Sign-in of people by the providers of the settings. */
export interface SignIn {
  ways(): LoginWays;
  /** @throws ServiceError as `begin` of oidc/port */
  begin(provider: string, returnPath: string | null): Promise<SignInStart & { readonly stateMs: number }>;
  /**
   * Ends a sign-in with a new session, or refuses somebody who has no role or is blocked, with an entry in the trail.
   * @throws ServiceError as `finish` of oidc/port; Unavailable also if there are too many persons
   */
  finish(returned: ReturnedBrowser): Promise<BegunSession | RefusedPerson>;
  /** Ends sessions that a logout token names. @throws ServiceError as `backChannel` of oidc/port */
  endByBackChannel(provider: string, logoutToken: string, from: string | null): Promise<void>;
  /**
   * Ends sessions that a page of the provider names.
   * @returns the origin of that page
   * @throws ServiceError as `frontChannel` of oidc/port
   */
  endByFrontChannel(
    provider: string,
    query: URLSearchParams,
    from: string | null,
  ): Promise<{ readonly framedBy: string }>;
  /**
   * Reads what the logout needs while the session is there.
   * @returns asks, once the session has ended here, where the person logs out of the provider, too
   */
  beginLogout(caller: Caller): Promise<() => Promise<string | undefined>>;
}

/** What a browser brings from a provider. */
export interface ReturnedBrowser {
  readonly provider: string;
  readonly answer: URLSearchParams;
  /** Of its cookie. */
  readonly state: string | undefined;
  readonly from: string | null;
  readonly agent: string | null;
}

export interface BegunSession {
  readonly token: string;
  /** Its longest life in milliseconds. */
  readonly lastsMs: number;
  readonly returnPath: string;
}

export interface RefusedPerson {
  readonly refused: "no_role" | "blocked";
  readonly identity: Identity;
}
