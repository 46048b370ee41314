/** Connects to a target, through its jump hosts if any. Closes everything it opened if a later step fails. */
import type { Duplex } from "node:stream";
import { type ErrorKind, messageOf, ServiceError } from "../../base/errors.ts";
import { connectionTimeout, type DialRule, dial } from "../../base/net/dial.ts";
import { abortReason, pause, type TimeLimit, within } from "../../base/time/deadline.ts";
import type { SshTarget } from "../../plugin/kit/ssh.ts";
import { type Connection, createConnection } from "./connection.ts";
import { credentialsOf } from "./login/credentials.ts";
import { checkHostKey } from "./login/hostkey.ts";
import { createKeyReader } from "./login/keyring.ts";
import { howBusy, login } from "./login/login.ts";
import { type HostKeyStore, where } from "./login/target.ts";

export { withKnownHosts } from "./login/known-hosts.ts";
export type { HostKeyStore } from "./login/target.ts";

export interface SshOptions {
  readonly hostKeys: HostKeyStore;
  /** Path of the agent's socket, if the operator allows its use. */
  readonly agentSocket?: string;
}

export interface Ssh {
  /**
   * @throws ServiceError ConnectionTimeout, ConnectionRefused, HostUnreachable, AuthenticationFailed, HostKeyMismatch,
   *   ConnectionLost, DriverError
   */
  connect(target: SshTarget, limit: TimeLimit, rule?: DialRule): Promise<Connection>;
}

export function createSsh(options: SshOptions): Ssh {
  const readKey = createKeyReader();

  async function open(
    target: SshTarget,
    limit: TimeLimit,
    rule: DialRule | undefined,
    isHop: boolean,
  ): Promise<Connection> {
    // Reads the keys before dialling: no connection is opened if a key is unreadable.
    const credentials = credentialsOf(target, readKey, options.agentSocket);
    if (limit.signal.aborted) throw abortReason(limit.signal);
    // Checks every host behind a jump host before dialling the first one.
    for (let station: SshTarget | undefined = target; station?.via; station = station.via)
      rule?.stated(station.host);
    if (target.via && !isHop) await rule?.enterHops?.(loginsTo(target.via));
    const check = await checkHostKey(options.hostKeys, target, rule);
    const hop = target.via ? await open(target.via, limit, rule, true) : undefined;
    try {
      const startedAt = performance.now();
      const leftMs = () => Math.max(0, target.connectTimeoutMs - (performance.now() - startedAt));
      for (let attempt = 0; ; attempt++) {
        const stream = await openStream(target, hop, limit, rule);
        try {
          const session = await login(stream, target, credentials, check, leftMs, limit.signal);
          return createConnection(session, stream, target, hop);
        } catch (error) {
          stream.destroy();
          const waitMs = pauseMs(attempt);
          if (!mayWait(error, attempt) || leftMs() < waitMs) throw error;
          await pause(waitMs, limit.signal);
        }
      }
    } catch (error) {
      // The refusal is what counts: if it cannot be noted, the next connection notes it.
      await check.noteRefused().catch(() => {});
      hop?.destroy();
      throw error;
    }
  }
  return { connect: (target, limit, rule) => open(target, limit, rule, false) };
}

/** The nearest jump host first. */
function loginsTo({ host, username, via }: SshTarget): { host: string; user: string }[] {
  return [...(via ? loginsTo(via) : []), { host, user: username }];
}

/** A host that closes every connection does so for another reason. */
const shutAtMost = 3;

function mayWait(error: unknown, attempt: number): boolean {
  const busy = howBusy(error);
  return busy === "said" || (busy === "shut" && attempt < shutAtMost);
}

/** Jitter, so that concurrent clients do not retry at the same time. */
function pauseMs(attempt: number): number {
  return Math.min(2_000, 100 * 1.6 ** attempt) * (0.5 + Math.random() / 2);
}

/** The timeout message names the whole time allowed, not the remaining time. */
function openStream(
  target: SshTarget,
  hop: Connection | undefined,
  limit: TimeLimit,
  rule: DialRule | undefined,
): Promise<Duplex> {
  const { connectTimeoutMs: ms } = target;
  if (hop === undefined) return dial(target, ms, limit.signal, rule);
  return openTunnel(hop, target, ms, limit.signal, () => connectionTimeout(target, ms));
}

// A stream to the target through a jump host; it ends when either side does.

/** Asks the jump host to connect to the target; the jump host resolves its name. */
async function openTunnel(
  hop: Connection,
  target: SshTarget,
  timeoutMs: number,
  signal: AbortSignal,
  late: () => ServiceError,
): Promise<Duplex> {
  if (signal.aborted) throw abortReason(signal);
  let abandoned = false;
  const opening = hop.tunnel(target).then((stream) => {
    if (abandoned) stream.destroy();
    return stream;
  });
  try {
    return await within(opening, timeoutMs, signal, late);
  } catch (error) {
    abandoned = true;
    throw error instanceof ServiceError ? error : refusal(error, hop, target);
  }
}

/** RFC 4254 section 5.1: SSH_OPEN_ADMINISTRATIVELY_PROHIBITED. */
const prohibited = 1;

/** The text that OpenSSH adds to a refusal names the reason. */
function refusal(error: unknown, hop: Connection, target: SshTarget): ServiceError {
  const errorText = messageOf(error);
  const isProhibited = error instanceof Error && "reason" in error && error.reason === prohibited;
  const [kind, text] = ((): [ErrorKind, string] => {
    if (isProhibited) return ["HostUnreachable", `The jump host does not forward to ${where(target)}`];
    if (/refused/i.test(errorText)) return ["ConnectionRefused", `Connection refused by ${where(target)}`];
    if (/timed? ?out/i.test(errorText))
      return ["ConnectionTimeout", `Connection to ${where(target)} timed out`];
    if (/not connected|no response from server/i.test(errorText))
      return ["ConnectionLost", "The jump host was lost"];
    return ["HostUnreachable", `${where(target)} cannot be reached`];
  })();
  return new ServiceError(kind, `${text} (through ${where(hop.endpoint)})`, undefined, { cause: error });
}
