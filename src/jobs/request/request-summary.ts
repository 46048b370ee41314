/** Summarizes a request for its record: masked, short for lists, with its purpose. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { priorities } from "../../api/jobs/job.ts";
import type { ExecuteRequest, OperationOptions, Payload } from "../../api/jobs/request.ts";
import { refuse } from "../../base/issues.ts";
import { maskUrls } from "../../base/net/url.ts";
import {
  createMasker,
  createOutputMasker,
  type Masker,
  masked as maskedText,
  revealed,
  secretsOfJson,
} from "../../base/secrets/mask.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import type { StoredPurpose } from "../../store/port.ts";
import { shownCommand } from "./webhook.ts";

/** Texts that are sealed and stored with a job. */
export interface RequestSummary {
  /** Short form. */
  readonly asked: string;
  /** Full form, if longer than the short one. */
  readonly request: string | null;
  /** Form for the audit trail. */
  readonly audit: string;
  /** Searchable fields. */
  readonly purpose: StoredPurpose;
}

export interface SummarizedRequest extends RequestSummary {
  /** Command or configuration with secrets masked. */
  readonly masked: unknown;
  /** The secrets found. */
  readonly secrets: string[];
  /** Masks the secrets in other texts. */
  readonly masker: Masker;
}

const purposes = {
  label: v.optional(v.string()),
  ticket: v.optional(v.string()),
  note: v.optional(v.string()),
  tags: v.optional(v.array(v.string())),
  priority: v.optional(v.picklist(priorities)),
};
const storedSummary = v.object({
  of: v.picklist(["command", "config"]),
  /** The first line; `all` is true if there is nothing else. */
  brief: v.string(),
  all: v.boolean(),
  length: v.number(),
  sha256: v.string(),
  /** True if it was truncated. */
  cut: v.boolean(),
  /** Stored templates: `name/version`. */
  templates: v.optional(v.array(v.string())),
  ...purposes,
});
const auditSummary = v.object({ length: v.number(), sha256: v.string(), first_line: v.string() });
export type AuditSummary = v.InferOutput<typeof auditSummary>;

/** The purpose of a job, as given by the caller. */
export type Purpose = Pick<OperationOptions, keyof typeof purposes>;

interface SubmittedRequest {
  readonly request: Pick<ExecuteRequest, "command" | "config" | "driver_args">;
  readonly connection: Readonly<Record<string, unknown>>;
  /** Outputs of the plugin schemas, which mark secrets in addition to field names. */
  readonly checked: readonly unknown[];
  /** Stored templates that it names, as `name/version`. */
  readonly templates: readonly string[];
}
type StoredWork = Pick<Payload, "contextJson" | "commands">;

const keptChars = 64 * 1024;
/** Each is searched in a dozen encodings, which costs 20 µs and 4 KB. */
const maxSecrets = 10_000;
const briefChars = 200;

/** Cached summary of the work: devices of a bulk may share megabytes of it. */
interface WorkSummary {
  readonly from: unknown;
  readonly secrets: string;
  readonly head: Omit<v.InferOutput<typeof storedSummary>, keyof typeof purposes | "templates">;
  readonly request: string | null;
  readonly masked: unknown;
}
let lastWork: WorkSummary | undefined;
/** Cached, because building a masker is expensive and consecutive jobs often have the same login. */
let lastMaskers: { readonly key: string; readonly whole: Masker; readonly shown: Masker } | undefined;

export function summarizeRequest(
  { request, connection, checked, templates }: SubmittedRequest,
  payload: StoredWork,
  options: Partial<Purpose & Pick<OperationOptions, "webhook">>,
): SummarizedRequest {
  const secrets = secretsOf(connection, [request.driver_args, options.webhook], checked, payload);
  const logins = loginsOf(connection);
  const key = [...secrets, "", ...logins].join("\0");
  lastMaskers =
    lastMaskers?.key === key
      ? lastMaskers
      : { key, whole: createMasker(secrets), shown: createOutputMasker(secrets, logins) };
  const { whole, shown } = lastMaskers;
  const { head, request: complete, masked } = summarizeWork(request, key, shown);
  const text = (value: string | null | undefined) => (value ? cleaned(value, shown) : undefined);
  const { length, sha256, brief } = head;
  const purpose = {
    label: text(options.label),
    ticket: text(options.ticket),
    tags: options.tags?.map((tag) => cleaned(tag, shown)),
  };
  return {
    purpose,
    asked: JSON.stringify({
      ...head,
      ...(templates.length === 0 ? {} : { templates }),
      ...purpose,
      note: text(options.note),
      priority: options.priority ?? undefined,
    }),
    request: complete,
    masked,
    secrets,
    masker: whole,
    audit: JSON.stringify({ length, sha256, first_line: brief } satisfies AuditSummary),
  };
}

/** @param complete full request for `GET /job?id=`; lists show the first line. */
export function requestFields(summaryJson: string | null, request: string | null, complete: boolean) {
  if (summaryJson === null) return {};
  const { of, brief, all, length, sha256, cut, ...purpose } = summaryOf(summaryJson);
  const value: unknown = complete && request !== null ? JSON.parse(request) : brief;
  const isCut = complete ? cut : !all;
  return { [of]: value, request: { length, sha256, ...(isCut ? { cut: true as const } : {}) }, ...purpose };
}

type StoredSummary = v.InferOutput<typeof storedSummary>;
const maxSummaries = 200;
const maxKeptLength = 2_048;
/** FIFO cache by text: most jobs of a list have one of few commands. */
const summaries = new Map<string, StoredSummary>();

function summaryOf(summaryJson: string): StoredSummary {
  const cached = summaries.get(summaryJson);
  if (cached !== undefined) return cached;
  const read = v.parse(storedSummary, JSON.parse(summaryJson));
  if (summaryJson.length > maxKeptLength) return read;
  summaries.set(summaryJson, read);
  const first = summaries.size > maxSummaries ? summaries.keys().next().value : undefined;
  if (first !== undefined) summaries.delete(first);
  return read;
}

export function readAuditSummary(text: string): AuditSummary {
  return v.parse(auditSummary, JSON.parse(text));
}

function summarizeWork(
  { command, config }: Pick<ExecuteRequest, "command" | "config">,
  secrets: string,
  masker: Masker,
): WorkSummary {
  const from = command ?? config;
  if (lastWork !== undefined && lastWork.from === from && lastWork.secrets === secrets) return lastWork;
  const of = command === undefined || command === null ? "config" : "command";
  const value = maskedIn(command ? shownCommand(command) : config, masker);
  const text = textOf(value);
  const json = JSON.stringify(value);
  // Interactive steps contain more than their lines.
  const cut = text.length > keptChars || json.length > 4 * keptChars;
  const brief = (text.split("\n", 1)[0] ?? "").trimEnd().slice(0, briefChars);
  const sha256 = createHash("sha256").update(text).digest("hex");
  lastWork = {
    from,
    secrets,
    head: { of, brief, all: value === brief, length: Buffer.byteLength(text), sha256, cut },
    request: value === brief ? null : cut ? JSON.stringify(text.slice(0, keptChars)) : json,
    masked: value,
  };
  return lastWork;
}

/** The hashed text: lines as typed, or the template context as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.map((entry: unknown) => (isStep(entry) ? entry.send : String(entry))).join("\n");
}

function isStep(entry: unknown): entry is { send: string } {
  return typeof entry === "object" && entry !== null && "send" in entry;
}

function cleaned(text: string, masker: Masker): string {
  return maskUrls(masker.text(text));
}

function maskedIn(value: unknown, masker: Masker): unknown {
  if (typeof value === "string") return cleaned(value, masker);
  if (Array.isArray(value)) return value.map((entry: unknown) => maskedIn(entry, masker));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      cleaned(name, masker),
      // Of a template context: whatever the value is.
      isSecretName(name) && typeof member === "string" && member !== ""
        ? maskedText
        : maskedIn(member, masker),
    ]),
  );
}

function loginsOf(connection: SubmittedRequest["connection"]): string[] {
  return Object.entries(connection).flatMap(([name, value]) =>
    typeof value === "string" && /user(?:name)?$/i.test(name) ? [value] : [],
  );
}

/** Secrets by field name, by plugin schema, and hidden input. A password equal to the user name is not a secret. */
function secretsOf(
  connection: SubmittedRequest["connection"],
  otherValues: unknown,
  checked: readonly unknown[],
  { contextJson, commands }: StoredWork,
): string[] {
  // Uses the raw request: fields unknown to the driver may hold secrets, too.
  const byName = secretsOfJson(JSON.stringify([connection, otherValues]));
  const hidden = (commands ?? []).flatMap((command) =>
    typeof command === "string" || command.hidden !== true ? [] : [command.reply ?? command.send],
  );
  const { username } = connection;
  const secrets = new Set([
    ...byName,
    ...revealed(checked),
    ...hidden,
    ...secretsOfJson(contextJson ?? "{}"),
  ]);
  if (secrets.size > maxSecrets)
    refuse([{ path: "", message: `names more than ${maxSecrets} passwords, tokens and keys` }]);
  return [...secrets].filter((text) => text !== username);
}
