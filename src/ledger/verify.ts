/** Verifies the ledger of this store in pieces: entries in order, then pushes without an entry, then versions. */
import type { KeyObject } from "node:crypto";
import {
  type LedgerVerdict,
  ledgerFaults,
  ledgerLimits,
  ledgerWork,
  type SignedCheckpoint,
  type UnapprovedPush,
} from "../api/ledger/ledger.ts";
import { ServiceError } from "../base/errors.ts";
import { giveWay } from "../base/time/yield.ts";
import type { Store, StoredLedgerEntry } from "../store/port.ts";
import { changeEntryOf, objectionTo } from "./acts.ts";
import { cutBase } from "./base.ts";
import { beginning, type CheckedEntry, createCheck, isSigned, type Link, readPublicKey } from "./check.ts";
import { outsideRecord } from "./records.ts";
import { signedOf, signingKeyOf } from "./signing.ts";

type VerifyStore = Pick<Store, "ledger" | "clock" | "makeId">;

export interface Piece {
  readonly phase: "entries" | "pushes" | "versions";
  /** The position before it. */
  readonly after: number;
}

const start: Piece = { phase: "entries", after: 0 };
/** Read at once. */
const page = 500;
const none = {
  ...{ intact: true, complete: true, entries: 0, checkpoints: 0, breaks: [], missing: [] },
  ...{ unapproved: [], outside: [] },
  ...{ last: null, lost: [], next: null },
} satisfies LedgerVerdict;

/** @throws ServiceError BadRequest */
export function pieceOf(next: string | null | undefined): Piece {
  if (next === undefined || next === null) return start;
  const match = /^(entries|pushes|versions):(\d{1,15})$/.exec(next);
  const phase = (["entries", "pushes", "versions"] as const).find((word) => word === match?.[1]);
  if (phase === undefined)
    throw new ServiceError("BadRequest", "`next` is invalid: it was not given by this service.");
  return { phase, after: Number(match?.[2]) };
}

/** @param outside checkpoints that were kept elsewhere */
export async function verifyPiece(
  store: VerifyStore,
  { phase, after }: Piece,
  outside: readonly SignedCheckpoint[],
  whose: string,
  signal: AbortSignal,
): Promise<LedgerVerdict> {
  if (phase === "entries") return verifyEntries(store, after, outside, whose, signal);
  return phase === "pushes"
    ? verifyPushes(store, after, whose, signal)
    : verifyVersions(store, after, whose, signal);
}

async function verifyEntries(
  store: VerifyStore,
  after: number,
  outside: readonly SignedCheckpoint[],
  whose: string,
  signal: AbortSignal,
): Promise<LedgerVerdict> {
  const { ledger } = store;
  const publicKey = readPublicKey((await signingKeyOf(store)).publicKey);
  const { from, counts } = await baseOf(store, after, publicKey);
  const stored = await ledger.checkpoints(from.seq + 1, ledgerLimits.checkpoints);
  // Where there are more, the piece ends with the last one that was read: each is compared.
  const upTo =
    (stored.length < ledgerLimits.checkpoints ? undefined : stored.at(-1)?.seq) ?? Number.MAX_SAFE_INTEGER;
  const copies = await ledger.page({ kind: "store.copied" }, ledgerLimits.page);
  const check = createCheck({
    ...{ from, counts, macKeys: await ledger.macKeys() },
    publicKey,
    checkpoints: [...outside.filter(({ checkpoint }) => checkpoint.seq > from.seq), ...stored.map(signedOf)],
    copies: copies.map(({ seq, at }) => ({ seq, at: new Date(at).toISOString() })),
  });
  let at = from.seq;
  let isEnd = false;
  const changed: number[] = [];
  const unapproved: UnapprovedPush[] = [];
  for (let read = 0; read < ledgerLimits.verified && !isEnd && at < upTo; ) {
    signal.throwIfAborted();
    await giveWay(whose);
    const rows = await ledger.after(at, page);
    // Deleted since this piece began: the next one begins where the rest does.
    if ((rows[0]?.seq ?? 0) > at + 1 && ((await cutBase(store))?.seq ?? 0) > at) break;
    const bound = rows.findIndex(({ seq }) => seq >= upTo);
    const entries = bound < 0 ? rows : rows.slice(0, bound + 1);
    for (const entry of entries) check.entry(checkedOf(entry));
    changed.push(...(await changedTranscripts(store, entries)));
    unapproved.push(...(await unapprovedPushes(store, entries)));
    read += entries.length;
    at = entries.at(-1)?.seq ?? at;
    isEnd = bound < 0 && rows.length < page;
  }
  const result = check.end(isEnd);
  const breaks = [
    ...result.breaks,
    ...changed.map((seq) => ({ seq, fault: "transcript" as const, message: ledgerFaults.transcript })),
  ].slice(0, ledgerLimits.breaks);
  const { entries, checkpoints, lost } = result;
  return {
    ...none,
    ...{ intact: breaks.length === 0, entries, checkpoints, breaks, lost: [...lost] },
    ...{ complete: unapproved.length === 0, unapproved: unapproved.slice(0, ledgerLimits.breaks) },
    last: result.last === undefined ? null : { seq: result.last.seq, hash: result.last.hash },
    next: isEnd ? "pushes:0" : `entries:${at}`,
  };
}

/** What the first entry of a piece follows: the one before it, or the checkpoint where retention has cut. */
async function baseOf(
  store: VerifyStore,
  after: number,
  key: KeyObject,
): Promise<{ from: Link; counts: Readonly<Record<string, number>> | undefined }> {
  const cut = await cutBase(store);
  if (cut !== undefined && cut.seq >= after) {
    const signed = signedOf(cut);
    // One that nobody signed is none: what is before it is missing.
    if (isSigned(signed, key)) return { from: signed.checkpoint, counts: signed.checkpoint.counts };
  }
  const [before] = after > 0 ? await store.ledger.after(after - 1, 1) : [];
  return before?.seq === after ? { from: before, counts: undefined } : { from: beginning, counts: {} };
}

export function checkedOf({ at, kind, ref, ...entry }: StoredLedgerEntry): CheckedEntry {
  return { ...entry, columns: { at: new Date(at).toISOString(), kind, ref } };
}

/** Numbers of entries whose lines are stored, and are others than those that were sent. */
async function changedTranscripts(
  { ledger }: VerifyStore,
  entries: readonly StoredLedgerEntry[],
): Promise<number[]> {
  const jobs = entries.filter(({ kind }) => ledgerWork.some((work) => work === kind));
  if (jobs.length === 0) return [];
  const hashes = await ledger.sentHashes(jobs.map(({ ref }) => ref));
  return jobs.flatMap(({ seq, ref, body }) => {
    const hash = hashes.get(ref);
    return hash === undefined || body.includes(`"sha256":"${hash}"`) ? [] : [seq];
  });
}

async function unapprovedPushes(
  { ledger }: VerifyStore,
  entries: readonly StoredLedgerEntry[],
): Promise<UnapprovedPush[]> {
  const pushes = entries
    .filter(({ kind, body }) => kind === "push" && body.includes('"change":'))
    .flatMap(({ body }) => changeEntryOf(JSON.parse(body)) ?? []);
  if (pushes.length === 0) return [];
  const [[first], stored] = await Promise.all([
    ledger.after(0, 1),
    ledger.acts([...new Set(pushes.map(({ change }) => change))]),
  ]);
  const acts = stored.flatMap(({ body }) => changeEntryOf(JSON.parse(body)) ?? []);
  const byChange = Map.groupBy(acts, ({ change }) => change);
  return pushes.flatMap((push) => objectionTo(push, byChange.get(push.change) ?? [], first?.seq === 1) ?? []);
}

async function verifyPushes(
  { ledger }: VerifyStore,
  after: number,
  whose: string,
  signal: AbortSignal,
): Promise<LedgerVerdict> {
  const missing: string[] = [];
  let at = after;
  let isEnd = false;
  for (let read = 0; read < ledgerLimits.verified && !isEnd && missing.length < ledgerLimits.breaks; ) {
    signal.throwIfAborted();
    await giveWay(whose);
    const pushes = await ledger.endedPushes(at, page);
    missing.push(...pushes.filter(({ hasEntry }) => !hasEntry).map(({ id }) => id));
    read += pushes.length;
    at = pushes.at(-1)?.seq ?? at;
    isEnd = pushes.length < page;
  }
  return { ...none, missing, complete: missing.length === 0, next: isEnd ? "versions:0" : `pushes:${at}` };
}

async function verifyVersions(
  { ledger }: VerifyStore,
  after: number,
  whose: string,
  signal: AbortSignal,
): Promise<LedgerVerdict> {
  const outside: LedgerVerdict["outside"] = [];
  let at = after;
  let isEnd = false;
  for (let read = 0; read < ledgerLimits.verified && !isEnd && outside.length < ledgerLimits.breaks; ) {
    signal.throwIfAborted();
    await giveWay(whose);
    const versions = await ledger.versions(at, page);
    outside.push(...versions.filter(({ isExplained }) => !isExplained).map(outsideRecord));
    read += versions.length;
    at = versions.at(-1)?.n ?? at;
    isEnd = versions.length < page;
  }
  return { ...none, outside, complete: outside.length === 0, next: isEnd ? null : `versions:${at}` };
}
