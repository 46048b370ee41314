/** Who a device is: one canonical name for its queue, whatever way a caller spells its address. */
import ipaddr from "ipaddr.js";
import { bareHost } from "../base/address-spelling.ts";

/** Most are plain names, and no address in decimal has a letter. Looking for an address takes ten times as long. */
const isPlainName = (host: string) => /^[a-z0-9_.-]+$/.test(host) && /[a-z_]/.test(host);
const canonicalAddress =
  /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])){3}$/;

/** Host names lower-cased, addresses in their canonical form: two spellings of one device share a queue. */
export function canonicalHost(host: string): string {
  if (canonicalAddress.test(host)) return host;
  if (isPlainName(host)) return host.replace(/\.$/, "");
  const bare = bareHost(host.trim()).toLowerCase();
  // `isValid` takes 0177.0.0.1 for 127.0.0.1: only plain decimal is an address here.
  const octal = /(^|\.)0\d/.test(bare);
  return !octal && ipaddr.isValid(bare) && (bare.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(bare))
    ? ipaddr.process(bare).toString()
    : bare.replace(/\.$/, "");
}

const pinnedPrefix = "pinned_";

export function pinnedQueue(host: string): string {
  return `${pinnedPrefix}${canonicalHost(host)}`;
}

export const fifoQueue = "fifo";

/** A queue as a caller may spell it: `FifoQ` and `pinned-<host>` of older clients, any spelling of the host. */
export function queueNamed(text: string): string {
  if (/^fifoq?$/i.test(text)) return fifoQueue;
  const host = /^pinned[_-](.+)$/i.exec(text)?.[1];
  return host === undefined ? text : pinnedQueue(host);
}

/** The host of a pinned queue; undefined for the queue that serves all. */
export function hostOfQueue(queue: string): string | undefined {
  return queue.startsWith(pinnedPrefix) ? queue.slice(pinnedPrefix.length) : undefined;
}

/** Letters, digits, dots and hyphens, or an address: nothing else can be dialled. */
export function isHost(host: string): boolean {
  const bare = bareHost(host);
  return (
    host.length <= 253 &&
    (/^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?$/.test(host) ||
      (bare.includes(":") && ipaddr.isValid(bare)))
  );
}
