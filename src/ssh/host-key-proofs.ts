/** Answers OpenSSH's announcement of its other host keys in the one way that costs nothing. */
import type { Client } from "./ssh2.ts";

const announcement = "hostkeys-00@openssh.com";

type OnRequest = (protocol: unknown, name: string, wantsReply: boolean, data: unknown) => void;

/**
 * ssh2 asks the server to prove those keys, to which nobody here listens: a signature for each key, which old gear
 * takes its time for. Not answering is no better: the server's next packet waits until the announcement is
 * acknowledged (Nagle there), and our side delays that by 40 ms as long as it has nothing to send.
 * So something is sent that asks for no reply: the end of a port forwarding that never was.
 * A login and its shell on loopback: 76 ms with the proof, 76 ms without an answer, 36 ms like this.
 */
export function skipHostKeyProofs(client: Client, software: string): void {
  const handlers = requestHandlers(client);
  const original = handlers?.GLOBAL_REQUEST;
  if (handlers === undefined || original === undefined) return;
  handlers.GLOBAL_REQUEST = (protocol, name, wantsReply, data) => {
    if (name !== announcement || wantsReply) return original(protocol, name, wantsReply, data);
    // Others may take it for an error that there is no such forwarding.
    if (/^SSH-2\.0-OpenSSH/.test(software)) client.unforwardIn("127.0.0.1", 0);
  };
}

/** Not a public part of ssh2: where a version has it elsewhere, its own way goes on. */
function requestHandlers(client: Client): { GLOBAL_REQUEST?: OnRequest } | undefined {
  const { _protocol: protocol } = client as { _protocol?: { _handlers?: { GLOBAL_REQUEST?: OnRequest } } };
  return protocol?._handlers;
}
