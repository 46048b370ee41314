/** The interface of auth: who calls, with which scope, and what an API key may reach. */

import type { KeyState, Scope } from "../api/access/key.ts";
import type { Submitter } from "../api/jobs/job.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";

export {
  agentRight,
  givenRights,
  includesScope,
  type Right,
  rights,
  type Scope,
  scopeOf,
  scopes,
} from "../api/access/key.ts";

export interface Caller {
  /** Id of the API key, or of the person in a session; used in audit entries and for fairness between callers. */
  readonly keyId: string;
  /** Name of the API key, as chosen by its creator; `anna/laptop` for a key of a person; the person's in a session. */
  readonly name: string;
  /** The person who signed in, or whose key it is. */
  readonly person?: PersonName | undefined;
  readonly scope: Scope;
  /**
   * Device hosts that this key may reach: names, wildcards, CIDR, selectors; empty: all. The hosts chosen by selectors
   * are attached to this list object: a copy of it does not include them.
   */
  readonly hosts: readonly string[];
  /** Credentials it may name, as patterns of `<source>:<ref>`; absent or null: the default in auth/credentials. */
  readonly credentials?: readonly string[] | null;
  /** Rights that were given to it; absent or null: none. What it has is decided by `hasRight` of auth/rights. */
  readonly rights?: readonly string[] | null;
  /** Recipes that it may run, by name; absent or null: those of its scope, see api/recipe-right. */
  readonly recipes?: readonly string[] | null;
  /** Address of the caller; null on a Unix socket. */
  readonly from: string | null;
  /** The login session used in place of the key. */
  readonly sessionId?: string;
  /** It only proposes: lines that it rehearses are sent to no device, not even to be checked there. */
  readonly proposesOnly?: true;
  /** Who acts, if not the key: a person, or a schedule. */
  readonly submitter?: Submitter | undefined;
}

export interface PersonName {
  readonly id: string;
  readonly name: string;
}

/**
 * Authenticates the text of an API key.
 * @param from address of the caller; null: a Unix socket.
 * @param counts false: only a check that the key is still valid, not a use.
 * @returns undefined for a wrong key; `lockedForS` in seconds after too many wrong keys.
 * @throws ServiceError Unavailable if the store does not answer
 */
export type Authenticate = (
  key: string,
  from: string | null,
  budget?: TimeBudget,
  counts?: boolean,
) => Promise<Caller | { lockedForS: number } | undefined>;

/** What a key, a person or a role allows. */
export interface Limits {
  readonly scope: string;
  /** Empty: all hosts. */
  readonly hosts: readonly string[];
  /** Null: no list of its own, see auth/credentials. */
  readonly credentials: readonly string[] | null;
  /** Given to it; null: none. */
  readonly rights: readonly string[] | null;
  /** Null: those of the scope. */
  readonly recipes: readonly string[] | null;
}

/** A key or person with the limits that are in force now. */
export interface Holder extends Limits {
  readonly id: string;
  readonly name: string;
  /** The person that it is, or that the key belongs to. */
  readonly person?: PersonName;
  /** Of a person: the name of the role; null: none fits. */
  readonly role?: string | null;
  /** Milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
  /** `revoked` also for a person who is blocked or has no role, and for their keys. */
  readonly state: KeyState;
}

/** The stored record of a key. Times are milliseconds since 1970. */
export interface KnownKey extends Limits {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The person it belongs to. */
  readonly personId: string | null;
}

export interface KnownPerson {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
  readonly blockedAt: number | null;
  readonly forgottenAt: number | null;
}

export interface KnownRole extends Limits {
  readonly name: string;
  readonly issuer: string | null;
  readonly groups: readonly string[];
  readonly subjects: readonly string[];
}

/** The part of the store that says who holds what. All throw ServiceError Unavailable. */
export interface HolderStore {
  readonly keys: { byId(id: string): Promise<KnownKey | undefined> };
  readonly persons: { byId(id: string): Promise<KnownPerson | undefined> };
  /** In the order in which they count. */
  readonly roles: { list(): Promise<readonly KnownRole[]> };
  readonly clock: { wall(): number; steady(): number };
}

/** The part of the store that authentication by keys uses. */
export interface KeyStore {
  /**
   * @returns undefined if there is no such key, or it is revoked or has expired.
   * @throws ServiceError Unavailable
   */
  find(key: string): Promise<KnownKey | undefined>;
  /**
   * The key that a certificate is mapped to.
   * @param fingerprint SHA-256 as 64 hexadecimal digits
   */
  findCertificate(fingerprint: string): Promise<KnownKey | undefined>;
  /** Records a use of the key; written later. */
  touch(id: string): void;
}

/** The part of the store that login sessions use. */
export interface LoginStore {
  /**
   * @returns undefined if the session has ended; its holder may be valid no more.
   * @throws ServiceError Unavailable
   */
  find(token: string): Promise<{ readonly id: string; readonly holder: string } | undefined>;
  /** Records a use of the session; written later. */
  touch(id: string): void;
}

/** The credential named in `connection_args.credential`. */
export interface NamedCredential {
  /** `<source>:<ref>`. */
  readonly name: string;
  /** Stored on the appliance. */
  readonly kept: boolean;
}

/** Prefix of an entry in a key's hosts that selects inventory devices: `select:site:berlin`. */
export const selectorPrefix = "select:";

/**
 * The hosts of the devices that selectors currently match, in the spelling of `hostOf` of base/host-match; an
 * unreadable selector matches none. Returns the identical set while nothing changes.
 * @throws ServiceError Unavailable if the store does not answer
 */
export type SelectedHosts = (selectors: readonly string[]) => Promise<ReadonlySet<string>>;

/** What a key may reach: created from its hosts only by `reachOf` and `urlReachOf` of auth/reach. */
export interface Reach {
  /** False: this key may reach everything. */
  readonly limited: boolean;
  /** As given. */
  readonly patterns: readonly string[];
  /** Hosts that the key's selectors matched when the caller was authenticated. */
  readonly selected: ReadonlySet<string> | undefined;
  /** Decides by the text alone: an address by address patterns, a name by name patterns. */
  allows(host: string): boolean;
  /** True for a name that no name pattern allows if there are address patterns: its addresses decide. */
  asksAddresses(host: string): boolean;
}

/** A place in a request that names a host. */
export interface NamedHost {
  /** `connection_args.proxy_host`. */
  readonly path: string;
  readonly host: string;
  /** A jump host resolves the name, so its addresses are unknown here. */
  readonly remote?: boolean;
}

/** The part of a caller that decides what it may see. */
export type LimitedCaller = Pick<Caller, "keyId" | "hosts">;

/** Resolves a name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;
