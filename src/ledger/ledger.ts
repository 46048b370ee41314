/** The ledger for callers: lists, exports and verifies its entries. */
import type { LedgerRecord } from "../api/ledger/ledger.ts";
import { ledgerVerifyRequest } from "../api/ledger/ledger.ts";
import { readStrict } from "../api/strict.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach, reachOf } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { giveWay } from "../base/time/yield.ts";
import type { Store, StoredLedgerEntry } from "../store/port.ts";
import { cutBase } from "./base.ts";
import type { Place } from "./places.ts";
import type { Ledger, LedgerFilter } from "./port.ts";
import { outsideRecord, recordOf } from "./records.ts";

export interface LedgerOptions {
  readonly store: Pick<Store, "ledger" | "clock" | "makeId">;
  readonly places: ReadonlyMap<string, Place>;
  /** A checkpoint was signed. */
  onSigned(): void;
}

/** Loaded when they are used. */
const signing = () => import("./signing.ts");
const verification = () => import("./verify.ts");

/** Maximum pages read per answer; the cursor continues there. */
const maxPages = 50;
/** Rows read at once if most of them may not match. */
const rowsPerFilteredPage = 500;
const exportedAtOnce = 500;

export function createLedger({ store, places, onSigned }: LedgerOptions): Ledger {
  const { ledger } = store;
  let isVerifying = false;

  /** What concerns the ledger as a whole. */
  function requireAll(caller: Caller): void {
    requireScope(caller, "admin");
    if (reachOf(caller.hosts).limited)
      throw new ServiceError(
        "Forbidden",
        "A key that may reach some hosts only cannot export or verify the ledger of all.",
      );
  }

  /** What entries do not say, since it may change: names of persons. */
  async function named(rows: readonly StoredLedgerEntry[]): Promise<LedgerRecord[]> {
    const records = rows.map(recordOf);
    const ids = records.flatMap(({ entry }) => [...holderOf(entry), ...idsIn(entry.detail)]);
    if (ids.length === 0) return records;
    const persons = await ledger.personsBehind([...new Set(ids)]);
    return records.map((record) => {
      const { detail } = record.entry;
      const person = holderOf(record.entry).flatMap((id) => persons.get(id)?.name ?? [])[0];
      // A key stays with its own name there.
      const about = detail?.replaceAll(anyId, (id) => {
        const found = persons.get(id);
        return found?.id === id ? found.name : id;
      });
      return {
        ...record,
        ...(person === undefined ? {} : { person }),
        ...(about === undefined || about === detail ? {} : { about }),
      };
    });
  }

  async function withAfter(records: readonly LedgerRecord[]): Promise<LedgerRecord[]> {
    const jobs = records.flatMap(({ entry }) => (entry.kind === "push" && entry.job ? [entry.job] : []));
    if (jobs.length === 0) return [...records];
    const versions = await ledger.versionsAfter(jobs);
    const byJob = new Map(versions.map((version) => [version.causeJobId, version]));
    return records.map((record) => {
      const after = byJob.get(record.entry.job ?? "");
      return after ? { ...record, after: { version: after.version, sha256: after.compare } } : record;
    });
  }

  async function page(filter: LedgerFilter, caller: Caller, beforeSeq: number | undefined, limit: number) {
    const isFiltered = filter.actor !== undefined || reachOf(caller.hosts).limited;
    const perPage = isFiltered ? rowsPerFilteredPage : limit;
    const { kind, job, ticket, change } = filter;
    const conditions = {
      ...{ kind, job, ticket, change, device: filter.device?.toLowerCase() },
      ...{ since: momentOf(filter.since), until: momentOf(filter.until) },
    };
    const records: LedgerRecord[] = [];
    let before = beforeSeq;
    for (let pages = 0; pages < maxPages; pages++) {
      await giveWay(shareOf(caller));
      const rows = await ledger.page({ ...conditions, beforeSeq: before }, perPage);
      for (const [at, record] of (await named(rows)).entries()) {
        if (isOf(filter.actor, record) && maySee(caller, record)) records.push(record);
        if (records.length === limit) return { records, next: rows[at]?.seq };
      }
      before = rows.at(-1)?.seq;
      if (rows.length < perPage) return { records, next: undefined };
    }
    return { records, next: before };
  }

  return {
    async list(filter, caller, { limit, cursor }) {
      requireScope(caller, "admin");
      const { records, next } = await page(filter, caller, positionOf(cursor), limit);
      return { items: await withAfter(records), next: next === undefined ? undefined : String(next) };
    },

    async entry(seq, caller) {
      requireScope(caller, "admin");
      const [row] = await ledger.after(seq - 1, 1);
      const [record] = row?.seq === seq ? await withAfter(await named([row])) : [];
      if (record !== undefined && maySee(caller, record)) return record;
      throw new ServiceError("NotFound", "The ledger has no entry with that number.");
    },

    async outside({ device, since, until }, caller, { limit, cursor }) {
      requireScope(caller, "admin");
      const conditions = {
        ...{ device: device?.toLowerCase(), since: momentOf(since), until: momentOf(until) },
      };
      const items = [];
      let beforeN = positionOf(cursor);
      for (let pages = 0; pages < maxPages; pages++) {
        await giveWay(shareOf(caller));
        const rows = await ledger.outside({ ...conditions, beforeN }, rowsPerFilteredPage);
        for (const row of rows) {
          if (!row.isExplained && mayReach(caller, row.host)) items.push(outsideRecord(row));
          if (items.length === limit) return { items, next: String(row.n) };
        }
        beforeN = rows.at(-1)?.n;
        if (rows.length < rowsPerFilteredPage) return { items, next: undefined };
      }
      return { items, next: beforeN === undefined ? undefined : String(beforeN) };
    },

    async *exported(caller, signal) {
      requireAll(caller);
      yield* exportOf(store, shareOf(caller), signal);
    },

    async checkpoint(caller) {
      requireScope(caller, "admin");
      const newest = await ledger.newestCheckpoint();
      if (newest !== undefined) return (await signing()).signedOf(newest);
      throw new ServiceError("NotFound", "No checkpoint was signed yet: sign one first.");
    },

    async signNow(caller) {
      requireScope(caller, "admin");
      const { signedOf, signNewest } = await signing();
      const signed = await signNewest(store, [...places.keys()]);
      if (signed === undefined) throw new ServiceError("NotFound", "The ledger has no entry yet.");
      onSigned();
      return signedOf(signed);
    },

    async publicKey(caller) {
      requireScope(caller, "admin");
      const { id, publicKey } = await (await signing()).signingKeyOf(store);
      return { installation: id, algorithm: "Ed25519", public_key: publicKey };
    },

    async verify(body, caller, signal) {
      requireAll(caller);
      const read = readStrict(ledgerVerifyRequest, body.value);
      const { next, checkpoints } = "output" in read ? read.output : refuse(read.issues);
      if (isVerifying)
        throw new ServiceError("TooManyRequests", "The ledger is being verified already.", { retryAfter: 5 });
      isVerifying = true;
      try {
        const { pieceOf, verifyPiece } = await verification();
        return await verifyPiece(store, pieceOf(next), checkpoints ?? [], shareOf(caller), signal);
      } finally {
        isVerifying = false;
      }
    },
  };
}

async function* exportOf(
  store: LedgerOptions["store"],
  whose: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { ledger } = store;
  const { signedOf, signingKeyOf } = await signing();
  const { id, publicKey } = await signingKeyOf(store);
  const last = await ledger.last();
  const end = last?.seq ?? 0;
  const base = await cutBase(store);
  const from = base?.seq ?? 0;
  yield line({
    ledger: 1,
    installation: id,
    public_key: publicKey,
    base: base === undefined ? null : signedOf(base),
  });
  for (let seq = from + 1; ; ) {
    signal.throwIfAborted();
    await giveWay(whose);
    const signed = (await ledger.checkpoints(seq, exportedAtOnce)).filter((one) => one.seq <= end);
    if (signed.length > 0) yield signed.map((one) => line(signedOf(one))).join("");
    if (signed.length < exportedAtOnce) break;
    seq = (signed.at(-1)?.seq ?? seq) + 1;
  }
  for (let seq = from; seq < end; ) {
    signal.throwIfAborted();
    await giveWay(whose);
    const rows: StoredLedgerEntry[] = (await ledger.after(seq, exportedAtOnce)).filter(
      (row) => row.seq <= end,
    );
    if (rows.length === 0) break;
    if ((rows[0]?.seq ?? 0) > seq + 1 && ((await cutBase(store))?.seq ?? 0) > seq)
      throw new ServiceError(
        "InProgress",
        "At the end of their retention entries were deleted: export again.",
      );
    // The text is what was hashed: it is passed on as it is.
    yield rows
      .map(
        ({ body, prev, hash, mac }) => `{"entry":${body},"prev":"${prev}","hash":"${hash}","mac":"${mac}"}\n`,
      )
      .join("");
    seq = rows.at(-1)?.seq ?? end;
  }
  yield line({ end: { seq: end, hash: last?.hash ?? "" } });
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

function momentOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

/** @throws ServiceError BadRequest */
function positionOf(cursor: string | undefined): number | undefined {
  const position = cursor === undefined ? undefined : Number(cursor);
  if (position === undefined || Number.isSafeInteger(position)) return position;
  throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this service.");
}

const anyId = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const idsIn = (text: string | undefined): readonly string[] => text?.match(anyId) ?? [];

/** The key or person behind the actor, who may be a schedule of theirs. */
function holderOf({ actor }: LedgerRecord["entry"]): readonly string[] {
  const id = actor.kind === "person" ? actor.name : actor.key;
  return id === undefined ? [] : [id];
}

function isOf(actor: string | undefined, { entry, person }: LedgerRecord): boolean {
  return actor === undefined || [entry.actor.name, entry.actor.key, person].includes(actor);
}

function maySee(caller: Caller, { entry }: LedgerRecord): boolean {
  if (!reachOf(caller.hosts).limited || entry.actor.key === caller.keyId) return true;
  return entry.host !== undefined && mayReach(caller, entry.host);
}
