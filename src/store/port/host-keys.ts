/** Host keys of devices, accepted on first use: what a later connection is compared with. */

export interface KnownHostKey {
  readonly type: string;
  readonly fingerprint: string;
}

/** `route`: jump hosts on the way to the host, outermost first; a key learnt on a route stands for that route alone. */
export interface HostKeys {
  /** What was shown on this route, and on the direct one; a direct connection is compared with its own alone. */
  known(host: string, port: number, route?: readonly string[]): Promise<KnownHostKey[]>;

  /** The first one to learn a key of a type wins, and stands in the audit trail; another key never replaces it. */
  learn(host: string, port: number, key: KnownHostKey, route?: readonly string[]): Promise<void>;

  /** @returns how many keys were forgotten, on all routes: for a device that was replaced. */
  forget(host: string, port?: number): Promise<number>;
}
