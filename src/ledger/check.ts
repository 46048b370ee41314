/**
 * Checks a ledger: whether each entry is the one that was written, follows the one before it, and agrees with the
 * checkpoints. Pure, so that an export is checked anywhere, with nothing of the installation but its public key.
 */
import { createPublicKey, createSecretKey, type KeyObject, verify } from "node:crypto";
import * as v from "valibot";
import {
  type LedgerBreak,
  type LedgerCheckpoint,
  type LedgerFault,
  ledgerFaults,
  ledgerLimits,
  type SignedCheckpoint,
} from "../api/ledger/ledger.ts";
import { ServiceError } from "../base/errors.ts";
import { chainStart, hashLink, macLink } from "../base/hash-chain.ts";
import { canonicalTextOf, isCanonical } from "../base/json/canonical.ts";
import { isRecord } from "../base/json/members.ts";

/** An entry as it is stored or exported. */
export interface CheckedEntry {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  readonly mac: string;
  /** The canonical JSON. */
  readonly body: string;
  /** Of the key of the mac; absent in an export. */
  readonly keyId?: string;
  /** Columns that repeat what the text says. */
  readonly columns?: { readonly at: string; readonly kind: string; readonly ref: string };
}

export interface Link {
  readonly seq: number;
  readonly hash: string;
  readonly mac: string;
}

/** A restore: entries that followed elsewhere are not here. */
export interface Copy {
  readonly seq: number;
  readonly at: string;
}

export interface LostEntries extends Copy {
  readonly up_to: number;
}

export interface CheckOptions {
  /** What the first entry follows; absent: the beginning. */
  readonly from?: Link | undefined;
  /** Of the entries up to `from`. Absent: numbers of entries are compared from the first checkpoint on. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  /** Keys of macs, by id. Without them, macs are not checked. */
  readonly macKeys?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Absent: no checkpoint is compared. */
  readonly publicKey?: KeyObject | undefined;
  readonly checkpoints: readonly SignedCheckpoint[];
  /** Restores before the first entry. */
  readonly copies?: readonly Copy[] | undefined;
}

export interface Check {
  /** In the order in which they stand. */
  entry(entry: CheckedEntry): void;
  /** @param isEnd whether there are no more entries: what checkpoints say of later ones is missing */
  end(isEnd: boolean): CheckResult;
}

export interface CheckResult {
  /** At most `ledgerLimits.breaks`. */
  readonly breaks: readonly LedgerBreak[];
  readonly entries: number;
  /** Checkpoints that were compared. */
  readonly checkpoints: number;
  readonly last: Link | undefined;
  readonly lost: readonly LostEntries[];
}

export const beginning: Link = { seq: 0, hash: chainStart, mac: chainStart };

/** @throws ServiceError Validation */
export function readPublicKey(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below.
  }
  throw new ServiceError(
    "Validation",
    "The public key is not an Ed25519 key in PEM (-----BEGIN PUBLIC KEY-----): `patchbay ledger public-key` prints it.",
  );
}

/** The bytes that are signed. */
export function signedText(checkpoint: LedgerCheckpoint): Buffer {
  return Buffer.from(canonicalTextOf(checkpoint), "utf8");
}

export function isSigned({ checkpoint, signature }: SignedCheckpoint, key: KeyObject): boolean {
  // Numbers that JavaScript cannot hold are none of ours.
  if (!isCanonical(checkpoint)) return false;
  return verify(null, signedText(checkpoint), key, Buffer.from(signature, "base64"));
}

export function createCheck(options: CheckOptions): Check {
  const { publicKey } = options;
  const breaks: LedgerBreak[] = [];
  const found = new Set<string>();
  const keys = new Map<string, KeyObject>();
  const copies = [...(options.copies ?? [])];
  const lost: LostEntries[] = [];
  const start = options.from ?? beginning;
  const counts: Record<string, number> = { ...options.counts };
  /** Counts of the last checkpoint that was right, and those of entries since. */
  let counted:
    | { readonly from: Readonly<Record<string, number>>; since: Record<string, number> }
    | undefined = options.counts === undefined && start.seq > 0 ? undefined : { from: counts, since: {} };
  let before: Link | undefined;
  let last = start;
  /** The entry before this one was not the one that was written: what follows from that is not told again. */
  let isTold = false;
  /** By how much later entries have moved up, since some were inserted. */
  let shift = 0;
  let entries = 0;
  let compared = 0;

  const trusted = options.checkpoints.filter((signed) => {
    if (publicKey === undefined) return false;
    if (isSigned(signed, publicKey)) return true;
    tell("checkpoint", signed.checkpoint.seq, ` (${signed.checkpoint.at})`);
    return false;
  });
  const bySeq = Map.groupBy(trusted, ({ checkpoint }) => checkpoint.seq);

  function tell(fault: LedgerFault, seq: number, more = ""): void {
    const name = `${fault} ${seq}`;
    if (found.has(name) || breaks.length >= ledgerLimits.breaks) return;
    found.add(name);
    breaks.push({ seq, fault, message: `${ledgerFaults[fault]}${more}` });
  }

  function keyOf(id: string): KeyObject | undefined {
    const known = keys.get(id);
    const bytes = options.macKeys?.get(id);
    if (known !== undefined || bytes === undefined) return known;
    const key = createSecretKey(bytes);
    keys.set(id, key);
    return key;
  }

  function isForged({ keyId, mac, body }: CheckedEntry): boolean {
    if (options.macKeys === undefined || keyId === undefined) return false;
    const key = keyOf(keyId);
    return key === undefined || macLink(key, last.mac, body) !== mac;
  }

  /** @returns whether it is the entry that was written, as far as it says itself */
  function isItself(entry: CheckedEntry, said: Said): boolean {
    const { columns } = entry;
    const agrees =
      columns === undefined ||
      (columns.at === said.at && columns.kind === said.kind && columns.ref === said.ref);
    return agrees && hashLink(entry.prev, entry.body) === entry.hash;
  }

  /** @returns whether something was told of it */
  function checkPlace(entry: CheckedEntry, said: Said): boolean {
    const follows = entry.prev === last.hash;
    if (!follows && before !== undefined && entry.prev === before.hash) {
      tell("inserted", last.seq);
      shift++;
      return false;
    }
    if (said.seq !== entry.seq - shift) {
      tell("order", entry.seq, `; it was written as number ${said.seq}`);
      return true;
    }
    if (follows) {
      if (!isForged(entry)) return false;
      tell("forged", entry.seq);
      return true;
    }
    // Its own text fits: it is the one before it that is not what it was.
    if (!isTold) tell("changed", last.seq, ": the next entry follows another one");
    return false;
  }

  return {
    entry(entry) {
      entries++;
      const said = sayingOf(entry.body);
      const isGap = entry.seq > last.seq + 1;
      if (isGap) {
        tell("missing", last.seq + 1, `: ${last.seq + 1} to ${entry.seq - 1}`);
        isTold = true;
        counted = undefined;
      }
      if (said === undefined || !isItself(entry, said)) {
        tell("changed", entry.seq);
        isTold = true;
      } else isTold = checkPlace(entry, said);
      before = last;
      last = { seq: entry.seq, hash: entry.hash, mac: entry.mac };
      if (said?.kind === "store.copied") copies.push({ seq: entry.seq, at: said.at });
      if (said !== undefined && counted !== undefined)
        counted.since[said.kind] = (counted.since[said.kind] ?? 0) + 1;
      for (const { checkpoint } of bySeq.get(entry.seq) ?? []) compare(checkpoint, entry);
    },

    end(isEnd) {
      for (const { checkpoint } of isEnd ? trusted : []) {
        if (checkpoint.seq <= last.seq) continue;
        compared++;
        if (!wasLost(checkpoint)) tell("cut", last.seq + 1, `: ${last.seq + 1} to ${checkpoint.seq}`);
      }
      return { breaks, entries, checkpoints: compared, last: entries === 0 ? undefined : last, lost };
    },
  };

  function compare(checkpoint: LedgerCheckpoint, entry: CheckedEntry): void {
    compared++;
    if (checkpoint.hash !== entry.hash || checkpoint.mac !== entry.mac) {
      if (!wasLost(checkpoint)) tell("rewritten", entry.seq, ` (${checkpoint.at})`);
      return;
    }
    if (counted !== undefined && !isSameCount(checkpoint.counts, counted)) tell("counts", entry.seq);
    counted = { from: checkpoint.counts, since: {} };
  }

  /** It is of a state that a later restore has left. */
  function wasLost({ seq, at }: LedgerCheckpoint): boolean {
    const copy = copies.find((one) => one.seq <= seq && one.at >= at);
    if (copy === undefined) return false;
    const known = lost.findIndex((one) => one.seq === copy.seq);
    const upTo = Math.max(seq, lost[known]?.up_to ?? 0);
    if (known >= 0) lost.splice(known, 1);
    lost.push({ ...copy, up_to: upTo });
    return true;
  }
}

interface Said {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly ref: string;
}

/** Undefined: it is not the text of an entry. */
function sayingOf(body: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return v.is(saying, value) && isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const saying = v.object({ seq: v.number(), at: v.string(), kind: v.string(), ref: v.string() });

function isSameCount(
  said: Readonly<Record<string, number>>,
  {
    from,
    since,
  }: { readonly from: Readonly<Record<string, number>>; readonly since: Readonly<Record<string, number>> },
): boolean {
  const kinds = new Set([...Object.keys(said), ...Object.keys(from), ...Object.keys(since)]);
  return [...kinds].every((kind) => (said[kind] ?? 0) === (from[kind] ?? 0) + (since[kind] ?? 0));
}
