/** Checks an export of a ledger line by line, as it is read. */
import type { KeyObject } from "node:crypto";
import * as v from "valibot";
import {
  ledgerExportEnd,
  ledgerExportHead,
  ledgerLimits,
  type SignedCheckpoint,
  signedCheckpoint,
  type UnapprovedPush,
} from "../api/ledger/ledger.ts";
import { ServiceError } from "../base/errors.ts";
import { canonicalJson, isCanonical } from "../base/json/canonical.ts";
import { changeEntryOf, createActs } from "./acts.ts";
import { beginning, type Check, type CheckResult, createCheck, isSigned, readPublicKey } from "./check.ts";

export interface ExportOptions {
  /** PEM, as it was kept outside. Absent: that of the export, which proves nothing against who made the export. */
  readonly publicKey?: string | undefined;
  /** Checkpoints that were kept outside. */
  readonly checkpoints: readonly SignedCheckpoint[];
}

export interface ExportResult extends CheckResult {
  readonly installation: string;
  /** Whether the public key is that of the export itself. */
  readonly isOwnKey: boolean;
  /** The newest entry that a checkpoint with a right signature covers; 0: none. */
  readonly covered: number;
  /** At most `ledgerLimits.breaks`. */
  readonly unapproved: readonly UnapprovedPush[];
}

const line = v.looseObject({ entry: v.unknown(), prev: v.string(), hash: v.string(), mac: v.string() });
const entryPlace = v.looseObject({ seq: v.number() });
const notAnExport = "This is no export of a ledger: `patchbay ledger export` makes one.";

/**
 * @param lines without their line ends
 * @throws ServiceError Validation: it is no export, or is not whole
 */
export async function checkExport(
  lines: AsyncIterable<string>,
  options: ExportOptions,
): Promise<ExportResult> {
  let head: v.InferOutput<typeof ledgerExportHead> | undefined;
  let key: KeyObject | undefined;
  let check: Check | undefined;
  let end: v.InferOutput<typeof ledgerExportEnd>["end"] | undefined;
  let at = 0;
  /** The place of the next entry, where the export has them: a row may say another number than its own. */
  let place = 0;
  let acts = createActs(true);
  const unapproved: UnapprovedPush[] = [];
  const own: SignedCheckpoint[] = [];

  function begin(value: unknown): void {
    const read = v.safeParse(ledgerExportHead, value);
    if (!read.success) throw new ServiceError("Validation", notAnExport);
    head = read.output;
    key = readPublicKey(options.publicKey ?? head.public_key);
  }

  function start(): Check {
    if (head === undefined || key === undefined) throw new ServiceError("Validation", notAnExport);
    const { base } = head;
    // A base that nobody signed is none: what is before it is missing.
    const isBase = base !== null && isSigned(base, key);
    const from = isBase ? base.checkpoint : beginning;
    place = from.seq;
    acts = createActs(place === 0);
    const counts = isBase ? base.checkpoint.counts : {};
    const checkpoints = [...options.checkpoints, ...own].filter(
      ({ checkpoint }) => checkpoint.seq > from.seq,
    );
    return createCheck({ from, counts, publicKey: key, checkpoints });
  }

  for await (const text of lines) {
    at++;
    if (text === "") continue;
    const value = parsed(text, at);
    if (head === undefined) begin(value);
    else if (v.is(line, value)) {
      check ??= start();
      if (!isCanonical(value.entry)) throw damagedLine(at);
      const said = v.is(entryPlace, value.entry) ? value.entry.seq : place + 1;
      // Without a number of its own, its place is where it stands; a gap shows by the numbers that follow.
      const seq = said > place ? said : place + 1;
      place = seq;
      const { prev, hash, mac } = value;
      check.entry({ seq, prev, hash, mac, body: canonicalJson(value.entry) });
      const act = changeEntryOf(value.entry);
      const objection = act && acts.entry(act);
      if (objection && unapproved.length < ledgerLimits.breaks) unapproved.push(objection);
    } else if (v.is(signedCheckpoint, value)) own.push(value);
    else if (v.is(ledgerExportEnd, value)) end = value.end;
    else throw damagedLine(at);
  }
  if (head === undefined || key === undefined) throw new ServiceError("Validation", notAnExport);
  if (end === undefined)
    throw new ServiceError(
      "Validation",
      "The export is not whole: its last line is missing. Export it again.",
    );
  const result = (check ?? start()).end(true);
  const trusted = key;
  const covered = [...options.checkpoints, ...own]
    .filter((signed) => isSigned(signed, trusted))
    .map(({ checkpoint }) => checkpoint.seq)
    .filter((seq) => seq <= (result.last?.seq ?? 0));
  return {
    ...result,
    installation: head.installation,
    isOwnKey: options.publicKey === undefined,
    covered: Math.max(0, ...covered),
    unapproved,
  };
}

function parsed(text: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw at === 1 ? new ServiceError("Validation", notAnExport) : damagedLine(at);
  }
}

function damagedLine(at: number): ServiceError {
  return new ServiceError("Validation", `Line ${at} is none of an export of a ledger.`);
}

/** Checkpoints as a place keeps them: one a line. @throws ServiceError Validation */
export function readCheckpoints(text: string): SignedCheckpoint[] {
  return text
    .split("\n")
    .map((one, at) => ({ one: one.trim(), at: at + 1 }))
    .filter(({ one }) => one !== "")
    .map(({ one, at }) => {
      // A line of a syslog receiver has its head before the JSON.
      const json = one.slice(Math.max(0, one.indexOf('{"checkpoint"')));
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), signedCheckpoint), json);
      if (read.success) return read.output;
      throw new ServiceError("Validation", `Line ${at} of the checkpoints is none.`);
    });
}
