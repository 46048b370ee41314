/** The interface of auth: who calls, with which scope, and what an API key may reach. */

import type { Scope } from "../api/key.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";

export { type Right, rights, type Scope, scopes } from "../api/key.ts";

export interface Caller {
  /** Id of the API key; used in audit entries and for fairness between callers. */
  readonly keyId: string;
  /** Name of the API key, as chosen by its creator. */
  readonly name: string;
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
  /** Address of the caller; null on a Unix socket. */
  readonly from: string | null;
  /** The login session used in place of the key. */
  readonly sessionId?: string;
  /** Who acts with the key, if not its holder: a schedule. */
  readonly submitter?: { readonly kind: "schedule"; readonly name: string };
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

/** The stored record of a valid key. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly hosts: readonly string[];
  readonly credentials: readonly string[] | null;
  readonly rights: readonly string[] | null;
}

/** The part of the store that authentication uses. */
export interface KeyStore {
  /**
   * @returns undefined if there is no such key, or it is revoked or has expired.
   * @throws ServiceError Unavailable
   */
  find(key: string): Promise<KeyRow | undefined>;
  /**
   * The key that a certificate is mapped to.
   * @param fingerprint SHA-256 as 64 hexadecimal digits
   */
  findCertificate(fingerprint: string): Promise<KeyRow | undefined>;
  /**
   * Also returns keys that are no longer valid.
   * @throws ServiceError Unavailable
   */
  byId(id: string): Promise<(KeyRow & KeyTerm) | undefined>;
  /** Records a use of the key; written later. */
  touch(id: string): void;
}

/** Validity of a key, in milliseconds since 1970. */
interface KeyTerm {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** The stored record of a valid login session, and of its key. */
export interface LoginRow {
  readonly id: string;
  readonly keyId: string;
  readonly key: Omit<KeyRow, "id">;
}

/** The part of the store that login sessions use. */
export interface LoginStore {
  /**
   * @returns undefined if the session has ended or its key is no longer valid.
   * @throws ServiceError Unavailable
   */
  find(token: string): Promise<LoginRow | undefined>;
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
