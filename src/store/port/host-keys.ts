/** Host keys of devices, trusted on first use, for comparison on later connections. */

export interface KnownHostKey {
  readonly type: string;
  readonly fingerprint: string;
}

/**
 * `route`: jump hosts on the way to the host, outermost first. A key learned over a route is valid for that route only.
 */
export interface HostKeys {
  /** Keys seen on this route and on the direct one; for a direct connection, only on the direct one. */
  known(host: string, port: number, route?: readonly string[]): Promise<KnownHostKey[]>;

  /** Stores the first key of a type, with an audit entry; never replaces an existing one. */
  learn(host: string, port: number, key: KnownHostKey, route?: readonly string[]): Promise<void>;

  /**
   * For a replaced device; covers all routes.
   * @returns how many keys were deleted
   */
  forget(host: string, port?: number): Promise<number>;
}
