/** Answers OpenSSH's announcement of its other host keys without extra latency. */
import type { Client } from "./ssh2.ts";

const announcement = "hostkeys-00@openssh.com";

type OnRequest = (protocol: unknown, name: string, wantsReply: boolean, data: unknown) => void;

/**
 * By default ssh2 asks the server to prove those keys, and nothing here uses the result: one signature per key, which
 * is slow on old devices. Not answering is slow too: the server sends its next packet only after the announcement is
 * acknowledged (Nagle), and our side delays the ACK by 40 ms while it has nothing to send. So this module sends a
 * request that needs no reply: it cancels a port forwarding that does not exist.
 * A login and its shell on loopback: 76 ms with the proof, 76 ms without an answer, 36 ms with this request.
 */
export function skipHostKeyProofs(client: Client, software: string): void {
  const handlers = requestHandlers(client);
  const original = handlers?.GLOBAL_REQUEST;
  if (handlers === undefined || original === undefined) return;
  handlers.GLOBAL_REQUEST = (protocol, name, wantsReply, data) => {
    if (name !== announcement || wantsReply) return original(protocol, name, wantsReply, data);
    // Other servers may treat the missing forwarding as an error.
    if (/^SSH-2\.0-OpenSSH/.test(software)) client.unforwardIn("127.0.0.1", 0);
  };
}

/** Not public in ssh2. If a version lacks it, ssh2's default behaviour applies. */
function requestHandlers(client: Client): { GLOBAL_REQUEST?: OnRequest } | undefined {
  const { _protocol: protocol } = client as { _protocol?: { _handlers?: { GLOBAL_REQUEST?: OnRequest } } };
  return protocol?._handlers;
}
