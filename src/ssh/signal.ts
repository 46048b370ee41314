/** Signals for a command, also when its input has ended: ssh2 sends none from then on, SSH knows them until its channel closes. */
import type { ClientChannel } from "./ssh2.ts";

export function sendSignal(channel: ClientChannel, name: "KILL"): void {
  const outgoing = member(channel, "outgoing");
  const state = member(outgoing, "state");
  // A server that has forgotten a closed channel ends the whole connection for a word about it.
  if (state !== "open" && state !== "eof") return;
  if (channel.writable) {
    channel.signal(name);
    return;
  }
  // What ssh2's own method does, without its look at the input.
  const protocol = member(member(channel, "_client"), "_protocol");
  const id = member(outgoing, "id");
  const signal = member(protocol, "signal");
  if (typeof id !== "number" || typeof signal !== "function") return;
  Reflect.apply(signal, protocol, [id, name]);
}

const asObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});
const member = (value: unknown, name: string): unknown => Reflect.get(asObject(value), name);
