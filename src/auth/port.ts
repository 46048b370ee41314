/** The interface of auth: who calls, with which scope, and what an API key may reach. */
import type { Patience } from "../base/patience.ts";

/** From the least to the most: each scope may do what those before it may. */
export const scopes = ["read", "operate", "admin"] as const;
export type Scope = (typeof scopes)[number];

export interface Caller {
  /** Id of the API key; part of audit entries and of fairness between callers. */
  readonly keyId: string;
  /** Name of the API key, as its maker wrote it. */
  readonly name: string;
  readonly scope: Scope;
  /**
   * Device hosts this key may reach: names, wildcards, CIDR, selectors; empty: all. What the selectors chose goes with
   * this very list: a copy of it reaches nothing by them.
   */
  readonly hosts: readonly string[];
  /** Credentials it may name, as patterns of `<source>:<ref>`; absent or null: those of auth/credentials. */
  readonly credentials?: readonly string[] | null | undefined;
  /** Address of the caller; null on a unix socket. */
  readonly from: string | null;
  /** Of the login session that stands for the key. */
  readonly sessionId?: string;
}

/**
 * From the text of an API key to who calls.
 * @param from address of the caller; null: a unix socket.
 * @param counts false: a look whether it is still in force, and no use of it.
 * @returns undefined for a wrong key; `lockedForS`, seconds, where too many wrong ones came before it.
 * @throws ServiceError Unavailable when the store does not answer
 */
export type Authenticate = (
  key: string,
  from: string | null,
  patience?: Patience,
  counts?: boolean,
) => Promise<Caller | { lockedForS: number } | undefined>;

/** What the store gives of a key that is in force. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly hosts: readonly string[];
  readonly credentials: readonly string[] | null;
}

/** What auth needs of the store. */
export interface KeyStore {
  /** @returns undefined: there is no such key, or it was revoked or has expired. @throws ServiceError Unavailable */
  find(key: string): Promise<KeyRow | undefined>;
  /** The key that a certificate stands for. @param fingerprint SHA-256, 64 hexadecimal digits */
  findCertificate(fingerprint: string): Promise<KeyRow | undefined>;
  /** Whether or not it is in force. @throws ServiceError Unavailable */
  byId(id: string): Promise<(KeyRow & KeyTerm) | undefined>;
  /** The key was used; written down later. */
  touch(id: string): void;
}

/** How long a key is in force, in ms since 1970. */
interface KeyTerm {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** What the store gives of a login session in force, and of its key. */
export interface LoginRow {
  readonly id: string;
  readonly keyId: string;
  readonly key: Omit<KeyRow, "id">;
}

/** What auth needs of the store for login sessions. */
export interface LoginStore {
  /** @returns undefined: it has ended, or its key is no longer in force. @throws ServiceError Unavailable */
  find(token: string): Promise<LoginRow | undefined>;
  /** The session was used; written down later. */
  touch(id: string): void;
}

/** What a request names in `connection_args.credential`. */
export interface NamedCredential {
  /** `<source>:<ref>`. */
  readonly name: string;
  /** It lies in the store of the appliance. */
  readonly kept: boolean;
}

/** How an entry of a key's hosts begins that chooses devices of the inventory: `select:site:berlin`. */
export const selectorPrefix = "select:";

/**
 * The hosts of the devices that selectors choose now, as `hostOf` of base/host-match spells them; nothing for one that
 * can not be read. The same set as long as nothing has changed.
 * @throws ServiceError Unavailable when the store does not answer
 */
export type SelectedHosts = (selectors: readonly string[]) => Promise<ReadonlySet<string>>;

/** What a key may reach: made from its hosts by `reachOf` and `urlReachOf` of auth/reach, and by nothing else. */
export interface Reach {
  /** False: this key may reach everything. */
  readonly limited: boolean;
  /** As they were given. */
  readonly patterns: readonly string[];
  /** Hosts that a selector of the key chose when the caller was recognized. */
  readonly selected: ReadonlySet<string> | undefined;
  /** By what stands there: an address by address patterns, a name by name patterns. */
  allows(host: string): boolean;
  /** A name that no name pattern allows, while there are address patterns: its addresses decide. */
  asksAddresses(host: string): boolean;
}

/** Where a request names a host. */
export interface NamedHost {
  /** `connection_args.proxy_host`. */
  readonly path: string;
  readonly host: string;
  /** Its name is looked up by a jump host: what it resolves to is not ours to know. */
  readonly remote?: boolean;
}

/** A caller's part that decides what is shown to it. */
export type LimitedCaller = Pick<Caller, "keyId" | "hosts">;

/** Looks a name up, all addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;
