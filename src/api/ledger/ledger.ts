/** The ledger: what may change a device, who may act and what is trusted, as entries that cover those before them. */
import * as v from "valibot";
import { verdicts } from "../changes/change.ts";
import { versionStates } from "../history/history.ts";
import { submitterKinds } from "../jobs/job.ts";
import { described, integer, moment, named, text, texts } from "../schema.ts";

/** What entries are of. Later parts of the service add theirs here. */
export const ledgerKinds = {
  push: "configuration lines were sent to a device, or may have been",
  transfer: "a file was sent to a device, or may have been",
  task: "a task was started that goes on by itself, or may have been",
  "change.vote": "a person voted on the plan of a change",
  "change.start": "a change was started",
  "change.stop": "a change was stopped, by somebody or at a limit",
  "change.return": "devices of a change began to get their former configuration back",
  "change.cancel": "a change was cancelled before it started",
  "breakglass.make": "a key for emergencies was made",
  "breakglass.use": "a key for emergencies was used",
  "breakglass.push": "a key for emergencies pushed without the change that a group requires",
  "breakglass.revoke": "a key for emergencies was revoked",
  "key.add": "an API key was made, or imported",
  "key.change": "the rights of an API key were changed",
  "key.revoke": "an API key was revoked",
  "role.put": "a role of persons was made or changed",
  "role.remove": "a role of persons was removed",
  "credential.set": "a credential was stored",
  "credential.remove": "a credential was removed",
  "hostkey.learn": "a host key was trusted on first use",
  "hostkey.accept": "a changed host key was accepted",
  "hostkey.forget": "host keys were forgotten",
  "masterkey.rotate": "another master key encrypts: further entries are signed with a key of it",
  "store.copied": "the database was restored from a backup or copied: what followed elsewhere is not here",
  "ledger.begin": "the ledger began",
  "ledger.cut": "older entries were deleted at the end of their retention",
} as const satisfies Readonly<Record<string, string>>;
export type LedgerKind = keyof typeof ledgerKinds;

/** Kinds whose entries are written by the transaction that ends their job. */
export const ledgerWork = ["push", "transfer", "task"] as const satisfies readonly LedgerKind[];
export type LedgerWork = (typeof ledgerWork)[number];

/** Acts by which pushes of a change are agreed on: each push of one has them before it. */
export const ledgerActs = [
  "change.vote",
  "change.start",
  "change.return",
] as const satisfies readonly LedgerKind[];

export const ledgerOutcomes = ["finished", "failed", "cancelled", "unknown"] as const;
export type LedgerOutcome = (typeof ledgerOutcomes)[number];

const sha256 = v.pipe(text, v.regex(/^[0-9a-f]{64}$/, "must be 64 hex digits"));

const actor = v.looseObject({
  kind: v.picklist([...submitterKinds, "service", "command line"]),
  name: described(
    text,
    "Of a person: their id, as entries never change; earlier versions of the service wrote the name",
  ),
  key: v.exactOptional(described(text, "Id of the API key")),
  address: v.exactOptional(described(text, "Network address of the caller")),
});

const versionOfEntry = v.object({
  version: integer,
  sha256: described(text, "Of the text, without what changes by itself"),
});

/** What is hashed: its canonical JSON (RFC 8785). Members of newer versions pass. */
export const ledgerEntry = named(
  "LedgerEntry",
  v.looseObject({
    v: described(v.literal(1), "Version of this form"),
    seq: described(integer, "From 1, without gaps"),
    at: moment,
    kind: described(
      text,
      Object.entries(ledgerKinds)
        .map(([kind, what]) => `\`${kind}\`: ${what}`)
        .join("; "),
    ),
    actor,
    ref: described(text, "The job; of entries without one, an id of their own"),
    job: v.exactOptional(text),
    bulk: v.exactOptional(text),
    change: v.exactOptional(described(text, "Id of the change that the entry is about, or that pushed")),
    revision: v.exactOptional(described(integer, "Of the change")),
    revision_hash: v.exactOptional(described(text, "Hash of the plan of that revision, as votes carry it")),
    verdict: v.exactOptional(described(v.picklist(verdicts), "Of a vote")),
    needed: v.exactOptional(described(integer, "Of a start: the number of approvals that it needed")),
    returns: v.exactOptional(
      described(v.literal(true), "Of a push of a change: it gives a device its former configuration back"),
    ),
    device: v.exactOptional(described(text, "The inventory device that the job was submitted for")),
    host: v.exactOptional(text),
    driver: v.exactOptional(text),
    ticket: v.exactOptional(text),
    note: v.exactOptional(described(text, "The label of the job")),
    dry_run: v.exactOptional(v.literal(true)),
    credential: v.exactOptional(described(text, "The stored credential that was used")),
    transfer: v.exactOptional(v.looseObject({ local_path: text, remote_path: text })),
    sent: v.exactOptional(
      v.looseObject({
        lines: described(integer, "Number of lines"),
        sha256: described(sha256, "Of the lines and the dialogue, as in `GET /job/{name}/sent`"),
      }),
    ),
    before: v.exactOptional(
      described(versionOfEntry, "The newest good version of the device in the history when it ended"),
    ),
    outcome: v.exactOptional(
      described(v.picklist(ledgerOutcomes), "`unknown`: it may have reached the device"),
    ),
    error: v.exactOptional(described(text, "Error type of a failed job")),
    checks: v.exactOptional(described(text, "What the checks of a push led to, such as `rolled_back`")),
    detail: v.exactOptional(text),
  }),
);

export const ledgerRecord = named(
  "LedgerRecord",
  v.object({
    entry: ledgerEntry,
    prev: described(sha256, "The hash of the entry before; of the first, 64 zeros"),
    hash: described(sha256, "SHA-256 of the hash before, as 32 bytes, and the canonical JSON of `entry`"),
    mac: described(sha256, "The same as HMAC with a key of the installation"),
    person: v.exactOptional(
      described(
        text,
        "Name of the person who is the actor, or whose key or schedule it is, looked up now; one who was forgotten: the pseudonym",
      ),
    ),
    about: v.exactOptional(
      described(text, "`detail` with the names of now in place of the ids of persons, if it has any"),
    ),
    after: v.exactOptional(
      described(
        versionOfEntry,
        "Of a push: the version read after it, if that differs; looked up in the history",
      ),
    ),
  }),
);
export type LedgerRecord = v.InferOutput<typeof ledgerRecord>;

/** Whose entry it is, as people read it. */
export function actorWords({ entry: { actor }, person }: LedgerRecord): string {
  const { kind, name } = actor;
  if (kind === "person") return `${person ?? name} (person)`;
  const whose = person === undefined ? "" : ` of ${person}`;
  if (kind === "key") return person === undefined ? name : `${name} (key${whose})`;
  return `${name} (${kind}${whose})`;
}

const actWords: Readonly<Record<string, string>> = {
  "change.start": "started",
  "change.stop": "stopped",
  "change.return": "began to return",
  "change.cancel": "cancelled",
};

/** What an entry of a change says, as people read it; undefined: it is about none. */
export function changeWords({ entry }: LedgerRecord): string | undefined {
  const { kind, change, revision, verdict, needed, returns } = entry;
  if (change === undefined) return undefined;
  const plan = revision === undefined ? `change ${change}` : `revision ${revision} of change ${change}`;
  if (kind === "push") return returns === true ? `return of change ${change}` : plan;
  if (verdict !== undefined) return `${verdict === "approve" ? "approved" : "rejected"} ${plan}`;
  const more =
    needed === undefined ? "" : `, which needed ${needed === 1 ? "1 approval" : `${needed} approvals`}`;
  return `${actWords[kind] ?? kind} ${plan}${more}`;
}

/** What is signed: its canonical JSON. */
export const ledgerCheckpoint = named(
  "LedgerCheckpoint",
  v.looseObject({
    v: v.literal(1),
    installation: described(text, "The id of the signing key"),
    at: moment,
    seq: described(integer, "The newest entry it covers"),
    hash: described(sha256, "Of that entry: it covers all before"),
    mac: described(sha256, "Of that entry"),
    counts: described(
      v.record(text, integer),
      "Entries up to it, by kind; those that retention deleted count too",
    ),
  }),
);
export type LedgerCheckpoint = v.InferOutput<typeof ledgerCheckpoint>;

export const signedCheckpoint = named(
  "SignedCheckpoint",
  v.object({
    checkpoint: ledgerCheckpoint,
    signature: described(text, "Ed25519 of the canonical JSON of `checkpoint`, base64"),
  }),
);
export type SignedCheckpoint = v.InferOutput<typeof signedCheckpoint>;

export const ledgerPublicKey = named(
  "LedgerPublicKey",
  v.object({
    installation: text,
    algorithm: v.literal("Ed25519"),
    public_key: described(text, "PEM (SPKI)"),
  }),
);

/** A line of an export; the first says what it is. */
export const ledgerExportHead = v.looseObject({
  ledger: v.literal(1),
  installation: text,
  public_key: text,
  base: described(
    v.nullable(signedCheckpoint),
    "The checkpoint that the first entry follows, if retention deleted those before",
  ),
});
export const ledgerExportEnd = v.looseObject({ end: v.object({ seq: integer, hash: text }) });

export const ledgerFaults = {
  changed: "the entry was changed: its text does not give its hash",
  forged: "the entry was written without the key of the installation: its hash fits, its mac does not",
  missing: "entries are missing",
  order: "entries stand in another order than they were written in",
  inserted: "the entry was inserted: it does not follow the one before it",
  cut: "the end is missing: a checkpoint covers entries that are not there",
  checkpoint: "the checkpoint is forged: its signature does not fit",
  rewritten: "the chain was written anew: a checkpoint says another hash for this entry",
  counts: "the checkpoint says other numbers of entries than there are",
  transcript: "what is stored of the lines is not what was sent",
} as const;
export type LedgerFault = keyof typeof ledgerFaults;

export const ledgerBreak = v.object({
  seq: described(integer, "The entry at which it shows"),
  fault: v.picklist(Object.keys(ledgerFaults) as [LedgerFault, ...LedgerFault[]]),
  message: text,
});
export type LedgerBreak = v.InferOutput<typeof ledgerBreak>;

export const unapprovedPush = v.object({
  seq: described(integer, "The entry of the push"),
  change: text,
  message: text,
});
export type UnapprovedPush = v.InferOutput<typeof unapprovedPush>;

export const changedOutside = named(
  "ChangedOutside",
  v.object({
    device: text,
    part: text,
    version: integer,
    state: v.picklist(versionStates),
    taken_at: described(moment, "When the change was seen"),
    unchanged_until: described(v.nullable(moment), "When the device was last seen without it"),
    by_on_device: described(v.nullable(text), "Who changed it, as the device says"),
    added: integer,
    removed: integer,
    source: text,
  }),
);
export type ChangedOutside = v.InferOutput<typeof changedOutside>;

export const ledgerLimits = {
  /** Entries of a page. */
  page: 1_000,
  /** Entries, jobs or versions that one request verifies. */
  verified: 20_000,
  /** Checkpoints that a request may bring. */
  checkpoints: 1_000,
  /** Newest checkpoints that are kept; of those before them one a day is. */
  keptCheckpoints: 10_000,
  /** Breaks that one answer lists. */
  breaks: 100,
} as const;

/** Body of POST /ledger/verify. */
export const ledgerVerifyRequest = named(
  "LedgerVerifyRequest",
  v.strictObject({
    next: described(v.optional(v.nullable(text)), "Of the answer before; absent: from the beginning"),
    checkpoints: described(
      v.optional(
        v.nullable(
          v.pipe(
            v.array(signedCheckpoint),
            v.maxLength(ledgerLimits.checkpoints, `must not hold more than ${ledgerLimits.checkpoints}`),
          ),
        ),
      ),
      "Checkpoints that were kept outside, which the ledger must agree with",
    ),
  }),
);

export const ledgerVerdict = named(
  "LedgerVerdict",
  v.object({
    intact: described(v.boolean(), "No entry of this piece was changed, moved, left out or added"),
    complete: described(
      v.boolean(),
      "Every push of this piece has an entry, and before it the start and votes of its change; every version is explained",
    ),
    entries: described(integer, "Entries of this piece"),
    checkpoints: described(integer, "Checkpoints that were compared in this piece"),
    breaks: v.array(ledgerBreak),
    missing: described(texts, "Ids of pushes without an entry"),
    unapproved: described(
      v.optional(v.array(unapprovedPush), []),
      "Pushes of changes without an entry of their start, or of a vote that it needed, before them",
    ),
    outside: described(v.array(changedOutside), "Versions that no entry explains"),
    last: described(v.nullable(v.object({ seq: integer, hash: text })), "The newest entry that was verified"),
    lost: described(
      v.array(v.object({ seq: integer, up_to: integer, at: moment })),
      "Restores: entries from `seq` to `up_to` of an outside checkpoint were lost with them",
    ),
    next: described(v.nullable(text), "For the next piece; null: this was the last"),
  }),
);
export type LedgerVerdict = v.InferOutput<typeof ledgerVerdict>;
