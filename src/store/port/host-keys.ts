/** Host keys of devices, trusted on first use, for comparison on later connections. */
import type { Actor } from "./audit.ts";

export interface KnownHostKey {
  readonly type: string;
  readonly fingerprint: string;
}

export interface StoredHostKey extends KnownHostKey {
  readonly host: string;
  readonly port: number;
  readonly route: readonly string[];
  /** In ms since 1970. */
  readonly seenAt: number;
  /** The key presented last in place of it. */
  readonly offered: (KnownHostKey & { readonly seenAt: number }) | null;
}

/**
 * `route`: jump hosts on the way to the host, outermost first. A key learned over a route is valid for that route only.
 */
export interface HostKeys {
  /** Keys seen on this route and on the direct one; for a direct connection, only on the direct one. */
  known(host: string, port: number, route?: readonly string[]): Promise<KnownHostKey[]>;

  /** Stores the first key of a type, with an audit entry; never replaces an existing one. */
  learn(host: string, port: number, key: KnownHostKey, route?: readonly string[]): Promise<void>;

  /** Notes the key that a host presented in place of a known one; the last one replaces earlier ones. */
  offer(host: string, port: number, key: KnownHostKey, route?: readonly string[]): Promise<void>;

  /** By host and port; at most 100,000. */
  list(): Promise<StoredHostKey[]>;

  /**
   * Replaces the known keys with the one that the host presented, on each route where it presented that one, with an
   * audit entry.
   * @returns on how many routes
   */
  accept(host: string, fingerprint: string, port: number | undefined, by: Actor): Promise<number>;

  /**
   * For a replaced device; covers all routes. With an audit entry.
   * @returns how many keys were deleted
   */
  forget(host: string, port: number | undefined, by: Actor): Promise<number>;
}
