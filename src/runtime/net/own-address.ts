/** Addresses of a host, and our own on the way to it. Nothing is sent. */
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { net } from "../../base/lazy-modules.ts";
import { neverAborted, within } from "../../base/time/deadline.ts";

const lookupMs = 2_000;

export async function addressesOf(
  host: string,
): Promise<{ readonly hosts: readonly string[]; readonly locals: readonly string[] }> {
  try {
    const found = await within(
      lookup(host, { all: true }),
      lookupMs,
      neverAborted,
      () => new Error("no answer"),
    );
    const hosts = found.map(({ address }) => address);
    const [first] = hosts;
    return { hosts, locals: first === undefined ? [] : [await ownAddress(first)] };
  } catch {
    return { hosts: [], locals: [] };
  }
}

/** A datagram socket that is connected knows its own address without a word to the other end. */
function ownAddress(host: string): Promise<string> {
  const socket = createSocket(net().isIPv6(host) ? "udp6" : "udp4");
  return new Promise<string>((resolve, reject) => {
    socket.on("error", reject);
    socket.connect(9, host, () => resolve(socket.address().address));
  }).finally(() => socket.close());
}
