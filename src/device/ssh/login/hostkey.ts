/** Verifies the host key of a server. Every connection passes this check. */
import { createHash } from "node:crypto";
import { ServiceError } from "../../../base/errors.ts";
import type { DialRule } from "../../../base/net/dial.ts";
import type { AcceptedHostKey, HostKey, SshTarget } from "../../../plugin/kit/ssh.ts";
import { type HostKeyStore, where } from "./target.ts";

export interface HostKeyCheck {
  /** Known key types of this host. */
  readonly knownTypes: readonly string[];
  /** Takes the key as the server sent it. If it returns false, `refusal` returns the reason. */
  verify(blob: Buffer): boolean;
  refusal(): ServiceError | undefined;
  /** Call after a refusal: an administrator can accept a changed key then. */
  noteRefused(): Promise<void>;
  /** Call once the server has proved possession of the key. */
  proved(): Promise<AcceptedHostKey>;
}

/** @param rule access rule of the connection: the key of a hop of a limited API key is compared but not stored */
export async function checkHostKey(
  store: HostKeyStore,
  target: SshTarget,
  rule?: Pick<DialRule, "keepsHostKey">,
): Promise<HostKeyCheck> {
  const { host, port, hostKeyPolicy: policy } = target;
  const route = routeOf(target.via);
  const listed = await store.knownKeys(host, port, route);
  const knownKeys = listed.filter(({ mark }) => mark === undefined);
  const isRevoked = (key: HostKey) =>
    listed.some(({ mark, fingerprint }) => mark === "revoked" && fingerprint === key.fingerprint);
  const hasAuthority = listed.some(({ mark }) => mark === "authority");
  const isListed = knownKeys.some((known) => known.listed === true);
  const isKept = rule?.keepsHostKey(route.length > 0) ?? true;
  let accepted: AcceptedHostKey | undefined;
  let refused: ServiceError | undefined;
  let isNew = false;
  let offered: HostKey | undefined;

  const refusal = (key: HostKey, message: string) =>
    new ServiceError("HostKeyMismatch", message, {
      host,
      port,
      shown: { type: key.type, fingerprint: key.fingerprint },
      known: knownKeys.map(({ type, fingerprint }) => ({ type, fingerprint })),
    });
  const decideOn = (key: HostKey): AcceptedHostKey | ServiceError => {
    // Under every policy: a revoked key may be compromised.
    if (isRevoked(key)) return refusal(key, revokedText(host, key));
    if (knownKeys.some((known) => known.fingerprint === key.fingerprint)) return key;
    const isUnknown = knownKeys.length === 0;
    const unknown = hasAuthority ? authorityText(host, key) : unknownText(host, key);
    if (policy === "warning") return { ...key, warning: isUnknown ? unknown : changedText(host) };
    if (isUnknown && policy === "auto_add" && !hasAuthority) {
      isNew = true;
      return key;
    }
    if (isUnknown) return refusal(key, unknown);
    if (isKept && !isListed) offered = key;
    return refusal(key, `${changedText(host)}: ${wayOn(host, knownKeys, key, isListed)}`);
  };
  return {
    knownTypes: knownKeys.map((key) => key.type),
    verify(blob) {
      const hostKey = describeHostKey(blob);
      // Each rekey verifies again; the server must present the same key.
      if (accepted !== undefined) return accepted.fingerprint === hostKey.fingerprint;
      const verdict = decideOn(hostKey);
      if (verdict instanceof ServiceError) refused = verdict;
      else accepted = verdict;
      return refused === undefined;
    },
    refusal: () => refused,
    async noteRefused() {
      if (offered !== undefined) await store.offer?.(host, port, offered, route);
    },
    async proved() {
      if (accepted === undefined) throw new ServiceError("HostKeyMismatch", `${host} presented no host key`);
      if (isNew && isKept)
        await store.learn(host, port, { type: accepted.type, fingerprint: accepted.fingerprint }, route);
      return accepted;
    },
  };
}

/** The jump hosts of a target, nearest first: each route has its own keys. */
function routeOf(via: SshTarget | undefined): string[] {
  return via === undefined ? [] : [...routeOf(via.via), where(via)];
}

const changedText = (host: string) => `Host key of ${host} does not match the known one`;
function wayOn(host: string, known: readonly HostKey[], shown: HostKey, isListed: boolean): string {
  const before = known.map(({ type, fingerprint }) => `${type} ${fingerprint}`).join(" or ");
  const way = isListed
    ? "correct the known hosts file of the service"
    : `accept it: patchbay host-key accept ${host} ${shown.fingerprint}`;
  return `it was ${before}, and is ${shown.type} ${shown.fingerprint} now. If the device was replaced, compare that with the device and ${way}`;
}

const unknownText = (host: string, { type, fingerprint }: HostKey) =>
  `Host key of ${host} is not known (${type} ${fingerprint})`;
const revokedText = (host: string, { type, fingerprint }: HostKey) =>
  `Host key of ${host} is revoked in known_hosts (${type} ${fingerprint})`;
const authorityText = (host: string, key: HostKey) =>
  `${unknownText(host, key)}: known_hosts has a @cert-authority for it, but host certificates are not supported: add its key`;

/** Type and fingerprint of a public key in SSH wire format, as `ssh-keygen -l` prints them. */
export function describeHostKey(blob: Buffer): HostKey {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const type = blob.toString("latin1", 4, 4 + Math.min(length, 64));
  const digest = createHash("sha256").update(blob).digest("base64").replace(/=+$/, "");
  return { type, fingerprint: `SHA256:${digest}` };
}
