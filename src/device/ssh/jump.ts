/** A stream to the target through a jump host; it ends when either side does. */
import type { Duplex } from "node:stream";
import { type ErrorKind, messageOf, ServiceError } from "../../base/errors.ts";
import { abortReason, within } from "../../base/time/deadline.ts";
import type { SshTarget } from "../../plugin/ssh.ts";
import type { Connection } from "./connection.ts";
import { where } from "./target.ts";

/** Asks the jump host to connect to the target; the jump host resolves its name. */
export async function openTunnel(
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
