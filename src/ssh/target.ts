/** What the layers above say to SSH: whom to reach, how to log in, how long a task may take. */
import type { Endpoint } from "../base/dial.ts";
import { ServiceError } from "../base/errors.ts";
import type { Secret } from "../base/secret.ts";

/** The part of a task's context that SSH needs. */
export interface Scope {
  readonly signal: AbortSignal;
  remaining(): number;
}

export interface PrivateKey {
  /** PEM, PKCS#8, OpenSSH or PuTTY form. */
  readonly pem: Secret;
  readonly passphrase?: Secret;
  /** Names the key in messages, such as its field or file. */
  readonly label: string;
}

export interface SshTarget extends Endpoint {
  readonly username: string;
  readonly password?: Secret;
  /** Tried in order, after the password. */
  readonly keys?: readonly PrivateKey[];
  readonly agent?: boolean;
  /** From the first packet to the end of the login, unless the two below say otherwise. */
  readonly connectTimeoutMs: number;
  /** For the server's first line, within `connectTimeoutMs`. */
  readonly bannerTimeoutMs?: number;
  /** For the login alone, in place of what is left of `connectTimeoutMs`. */
  readonly authTimeoutMs?: number;
  readonly keepaliveMs?: number;
  readonly compress?: boolean;
  readonly profile: "modern" | "legacy";
  readonly hostKeyPolicy: HostKeyPolicy;
  readonly via?: SshTarget;
}

/** `auto_add`: unknown is learned, changed is refused. `warning`: both pass, with a warning. `reject`: known ones only. */
export type HostKeyPolicy = "auto_add" | "warning" | "reject";

export interface HostKey {
  /** `ssh-ed25519`, `ssh-rsa`, … */
  readonly type: string;
  /** `SHA256:…` as OpenSSH prints it. */
  readonly fingerprint: string;
}

/**
 * Where known host keys are kept, by the way to the host: what a jump host has shown says nothing of the direct way.
 * Both may be slow; neither is called for a key that was shown before.
 */
export interface HostKeyStore {
  /** Of this way, and of the direct one. @param way the jump hosts, the nearest first. */
  known(host: string, port: number, way: readonly string[]): readonly HostKey[] | Promise<readonly HostKey[]>;
  learn(host: string, port: number, key: HostKey, way: readonly string[]): void | Promise<void>;
}

export const where = (to: Endpoint): string => `${to.host}:${to.port}`;

export function connectionLost(to: Endpoint, cause?: unknown): ServiceError {
  return new ServiceError("ConnectionLost", `Connection to ${where(to)} was lost`, undefined, { cause });
}
