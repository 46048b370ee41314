/** Host keys by the route they were shown on, and how a server is named in messages. */
import type { Endpoint } from "../base/dial.ts";
import { ServiceError } from "../base/errors.ts";
import type { HostKey } from "../plugin/ssh.ts";

/** A host key with what the operator wrote before it. */
export interface KnownKey extends HostKey {
  /** `revoked`: never taken. `authority`: signs host keys, and is none itself. */
  readonly mark?: "revoked" | "authority";
}

/**
 * Where known host keys are kept, by the route to the host: what a jump host has shown says nothing of the direct one.
 * Both may be slow; neither is called for a key that was shown before.
 */
export interface HostKeyStore {
  /** Of this route, and of the direct one. @param route the jump hosts, the nearest first. */
  knownKeys(
    host: string,
    port: number,
    route: readonly string[],
  ): readonly KnownKey[] | Promise<readonly KnownKey[]>;
  learn(host: string, port: number, key: HostKey, route: readonly string[]): void | Promise<void>;
}

export const where = (to: Endpoint): string => `${to.host}:${to.port}`;

export function connectionLost(to: Endpoint, cause?: unknown): ServiceError {
  return new ServiceError("ConnectionLost", `Connection to ${where(to)} was lost`, undefined, { cause });
}
