/** An SSH channel as a ByteStream, so that the terminal layer and NETCONF need not know SSH. */

import type { Readable } from "node:stream";
import type { ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import type { Endpoint } from "../../base/net/dial.ts";
import { abortReason, onAbort, pause, type TimeLimit } from "../../base/time/deadline.ts";
import type { SshTerminal } from "../../plugin/kit/ssh.ts";
import { askSession } from "./sessions.ts";
import type { ClientChannel } from "./ssh2.ts";
import { ask, type Transport } from "./transport.ts";

/** How long a device may take to answer our close. */
const goodbyeMs = 500;

const close = (channel: ClientChannel) => channel.close();

export async function openShell(
  transport: Transport,
  size: SshTerminal,
  limit: TimeLimit,
): Promise<ByteStream> {
  const { cols, rows, term = "vt100" } = size;
  const window = { cols, rows, term, width: 0, height: 0 };
  const open = (done: (error: Error | undefined, channel: ClientChannel) => void) =>
    transport.client.shell(window, done);
  return streamOf(await askSession(transport, limit, "open a shell", open, close), transport);
}

/** A subsystem such as `netconf`. */
export async function openSubsystem(
  transport: Transport,
  name: string,
  limit: TimeLimit,
): Promise<ByteStream> {
  const open = (done: (error: Error | undefined, channel: ClientChannel) => void) =>
    transport.client.subsys(name, done);
  const channel = await askSession(transport, limit, `open the subsystem ${name}`, open, close);
  // The subsystem's stderr is not part of the protocol.
  channel.stderr.resume();
  return streamOf(channel, transport, [channel]);
}

/** Opens a port reachable from the server, which resolves the name. */
export async function openForward(transport: Transport, to: Endpoint, limit: TimeLimit): Promise<ByteStream> {
  const open = (done: (error: Error | undefined, channel: ClientChannel) => void) =>
    transport.client.forwardOut("127.0.0.1", 0, to.host, to.port, done);
  return streamOf(await ask(transport, limit, `forward to ${to.host}:${to.port}`, open, close), transport);
}

/** @param sources streams to read; default: all */
function streamOf(
  channel: ClientChannel,
  { ended, heldMs }: Pick<Transport, "ended" | "heldMs">,
  sources: readonly Readable[] = [channel, channel.stderr],
): ByteStream {
  const closed = new AbortController();
  let error: ServiceError | undefined;
  let isOurs = false;

  const settle = (why?: ServiceError) => {
    if (closed.signal.aborted) return;
    if (!isOurs) error = why;
    stopWatching();
    closed.abort();
  };
  const stopWatching = onAbort(ended, settle);
  channel.on("close", () => settle(ended.aborted ? abortReason(ended) : undefined));
  // Without a listener, an error of one channel would end the process. Its close event follows.
  channel.on("error", () => {});
  return {
    write(data) {
      if (!closed.signal.aborted) channel.write(data);
    },
    onData(listener) {
      for (const source of sources) source.on("data", listener);
    },
    onClose(listener) {
      onAbort(closed.signal, () => listener(error));
    },
    async end() {
      if (closed.signal.aborted) return;
      isOurs = true;
      channel.close();
      // Unread output would delay the peer's close.
      channel.resume();
      channel.stderr.resume();
      if (!closed.signal.aborted) await pause(goodbyeMs, closed.signal);
      settle();
    },
    destroy() {
      isOurs = true;
      channel.removeAllListeners("data");
      channel.close();
      settle();
    },
    heldMs,
  };
}
