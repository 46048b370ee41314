/** Host keys by route, and the name of a server in messages. */

import { ServiceError } from "../../../base/errors.ts";
import type { Endpoint } from "../../../base/net/dial.ts";
import type { HostKey } from "../../../plugin/kit/ssh.ts";

/** A host key with its known_hosts marker. */
export interface KnownKey extends HostKey {
  /** `revoked`: never accepted. `authority`: a CA key; not a host key itself. */
  readonly mark?: "revoked" | "authority";
  /** From a file of the operator, which decides alone. */
  readonly listed?: true;
}

/**
 * Storage of known host keys, by the route to the host: a key seen through a jump host says nothing about the direct
 * route. Both methods may be slow; neither is called for a key that was seen before.
 */
export interface HostKeyStore {
  /**
   * Keys of this route and of the direct one.
   * @param route the jump hosts, nearest first
   */
  knownKeys(
    host: string,
    port: number,
    route: readonly string[],
  ): readonly KnownKey[] | Promise<readonly KnownKey[]>;
  learn(host: string, port: number, key: HostKey, route: readonly string[]): void | Promise<void>;
  /** Notes the key presented in place of a known one, so that an administrator can accept it. */
  offer?(host: string, port: number, key: HostKey, route: readonly string[]): void | Promise<void>;
}

export const where = (to: Endpoint): string => `${to.host}:${to.port}`;

export function connectionLost(to: Endpoint, cause?: unknown): ServiceError {
  return new ServiceError("ConnectionLost", `Connection to ${where(to)} was lost`, undefined, { cause });
}
