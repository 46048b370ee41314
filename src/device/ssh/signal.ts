/**
 * Sends signals to a command even after its input has ended. ssh2 refuses that; SSH allows it until the channel closes.
 */
import type { ClientChannel } from "./ssh2.ts";

export function sendSignal(channel: ClientChannel, name: "KILL"): void {
  const outgoing = member(channel, "outgoing");
  const state = member(outgoing, "state");
  // A server that no longer knows a closed channel ends the whole connection at a message for it.
  if (state !== "open" && state !== "eof") return;
  if (channel.writable) {
    channel.signal(name);
    return;
  }
  // Does what ssh2's own method does, without its check of the input.
  const protocol = member(member(channel, "_client"), "_protocol");
  const id = member(outgoing, "id");
  const signal = member(protocol, "signal");
  if (typeof id !== "number" || typeof signal !== "function") return;
  Reflect.apply(signal, protocol, [id, name]);
}

const asObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});
const member = (value: unknown, name: string): unknown => Reflect.get(asObject(value), name);
