/** Canonical host names: one queue per device, however its address is written. */
import ipaddr from "ipaddr.js";
import { bareHost } from "../base/net/address-spelling.ts";
import { fifoQueue } from "./admin/worker.ts";

/** Fast path: most hosts are names, and parsing an address takes ten times as long. */
const isPlainName = (host: string) => /^[a-z0-9_.-]+$/.test(host) && /[a-z_]/.test(host);
const canonicalAddress =
  /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])){3}$/;

/** Lower-cases names and normalizes addresses. */
export function canonicalHost(host: string): string {
  if (canonicalAddress.test(host)) return host;
  if (isPlainName(host)) return host.replace(/\.$/, "");
  const bare = bareHost(host.trim()).toLowerCase();
  // Rejects octal forms: `isValid` accepts 0177.0.0.1 as 127.0.0.1.
  const octal = /(^|\.)0\d/.test(bare);
  return !octal && ipaddr.isValid(bare) && (bare.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(bare))
    ? ipaddr.process(bare).toString()
    : bare.replace(/\.$/, "");
}

const pinnedPrefix = "pinned_";

export function pinnedQueue(host: string): string {
  return `${pinnedPrefix}${canonicalHost(host)}`;
}

/** Normalizes a queue name; accepts `FifoQ` and `pinned-<host>` of older clients. */
export function queueNamed(text: string): string {
  if (/^fifoq?$/i.test(text)) return fifoQueue;
  const host = /^pinned[_-](.+)$/i.exec(text)?.[1];
  return host === undefined ? text : pinnedQueue(host);
}

/** The host of a pinned queue; undefined for the fifo queue. */
export function hostOfQueue(queue: string): string | undefined {
  return queue.startsWith(pinnedPrefix) ? queue.slice(pinnedPrefix.length) : undefined;
}

/** Whether the text is a valid host name or address. */
export function isHost(host: string): boolean {
  const bare = bareHost(host);
  return (
    host.length <= 253 &&
    (/^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?$/.test(host) ||
      (bare.includes(":") && ipaddr.isValid(bare)))
  );
}
