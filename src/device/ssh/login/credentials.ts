/** Collects a target's credentials: reads its keys with their certificates, and records why some are unusable. */
import { ServiceError } from "../../../base/errors.ts";
import type { PrivateKey, SshTarget } from "../../../plugin/kit/ssh.ts";
import type { ParsedKey } from "../ssh2.ts";
import type { Credentials } from "./auth.ts";
import { doubtOf, parseCertificate } from "./certificate.ts";
import { belongTogether, certifiedKey } from "./certified-key.ts";
import type { KeyReader } from "./keyring.ts";

/** @throws ServiceError AuthenticationFailed if a key or the agent was named and no usable credential remains */
export function credentialsOf(
  target: SshTarget,
  readKey: KeyReader,
  agentSocket: string | undefined,
): Credentials {
  const { username, keysFirst = false, asksInShell = false } = target;
  const unusable: string[] = [];
  const doubts: string[] = [];
  const read = (fromFolders: boolean) =>
    (target.keys ?? [])
      .filter(({ found = false }) => found === fromFolders)
      .flatMap((key) => readOne(key, { username, readKey, unusable, doubts }));
  const keys = read(false);
  const foundKeys = read(true);
  const agent = target.agent ? agentSocket : undefined;
  if (target.agent && agent === undefined)
    unusable.push("There is no agent: PATCHBAY_AGENT_SOCKET is not set");
  const password = target.password?.reveal();
  const otp = target.otp?.reveal();
  const answers = target.answers ?? [];
  const hasAny =
    keys.length + foundKeys.length > 0 ||
    agent !== undefined ||
    password !== undefined ||
    otp !== undefined ||
    answers.length > 0;
  if (unusable.length > 0 && !hasAny) {
    throw new ServiceError("AuthenticationFailed", unusable.join("; "), { tried: [] });
  }
  return {
    username,
    password,
    otp,
    answers,
    keys,
    found: foundKeys,
    agent,
    keysFirst,
    asksInShell,
    unusable,
    doubts,
  };
}

interface Reading {
  readonly username: string;
  readonly readKey: KeyReader;
  readonly unusable: string[];
  readonly doubts: string[];
}

/** With its certificate first, then the key alone: the server may accept either. */
function readOne(key: PrivateKey, { username, readKey, unusable, doubts }: Reading): ParsedKey[] {
  const { label, certificate: text } = key;
  const parsed = readKey(key);
  if ("problem" in parsed) {
    unusable.push(parsed.problem);
    return [];
  }
  if (text === undefined) return [parsed];
  const certificate = parseCertificate(text);
  const problem =
    certificate === undefined
      ? "it is not an OpenSSH certificate for an RSA, ECDSA or Ed25519 key"
      : certificate.isForHosts
        ? "it is for a host, not for a user"
        : belongTogether(parsed, certificate)
          ? undefined
          : "it was issued for another key";
  if (certificate === undefined || problem !== undefined) {
    unusable.push(`The certificate of ${label} cannot be used: ${problem}`);
    return [parsed];
  }
  const doubt = doubtOf(certificate, username);
  if (doubt !== undefined)
    doubts.push(`the certificate of ${label} (${certificate.keyId.slice(0, 64)}) ${doubt}`);
  return [certifiedKey(parsed, certificate), parsed];
}
