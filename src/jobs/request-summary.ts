/** What a job was asked, as its record shows it: without secrets, in short for lists, and with what names its purpose. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { createMasker, type Masker, revealed, secretsOfJson } from "../base/mask.ts";
import { maskUrls } from "../base/url.ts";
import type { ExecuteRequest, OperationOptions, Payload } from "../model/request.ts";
import { shownCommand } from "./webhook.ts";

/** Texts as they are sealed beside a job. */
export interface Asked {
  /** In short. */
  readonly asked: string;
  /** The whole, where it is more than that. */
  readonly request: string | null;
  /** For the audit trail. */
  readonly audit: string;
}

export interface AskedWork extends Asked {
  /** Command or configuration as the request had it, without secrets. */
  readonly shown: unknown;
}

const purposes = {
  label: v.optional(v.string()),
  ticket: v.optional(v.string()),
  note: v.optional(v.string()),
};
const stored = v.object({
  of: v.picklist(["command", "config"]),
  /** The first line, and whether that is all. */
  brief: v.string(),
  all: v.boolean(),
  length: v.number(),
  sha256: v.string(),
  /** It is longer than what is kept of it. */
  cut: v.boolean(),
  ...purposes,
  tags: v.optional(v.array(v.string())),
});
const auditStored = v.object({ length: v.number(), sha256: v.string(), first_line: v.string() });
export type AuditAsked = v.InferOutput<typeof auditStored>;

export type Purpose = Pick<OperationOptions, "label" | "ticket" | "note" | "tags">;

interface Requested {
  readonly request: Pick<ExecuteRequest, "command" | "config" | "driver_args">;
  readonly connection: Readonly<Record<string, unknown>>;
  /** What the schemas of the plugins made of the request: they say what is a secret besides names. */
  readonly checked: readonly unknown[];
}
type Held = Pick<Payload, "contextJson" | "commands">;

const keptChars = 64 * 1024;
const briefChars = 200;

/** The work of a request: all devices of a bulk may share one of megabytes. */
interface Work {
  readonly from: unknown;
  readonly secrets: string;
  readonly head: Omit<v.InferOutput<typeof stored>, "label" | "ticket" | "note" | "tags">;
  readonly request: string | null;
  readonly shown: unknown;
}
let last: Work | undefined;
/** Making one is most of the work, and many jobs in a row have the same login. */
let lastMasker: { readonly key: string; readonly masker: Masker } | undefined;

export function askedOf(
  { request, connection, checked }: Requested,
  payload: Held,
  options: Partial<Purpose & Pick<OperationOptions, "webhook">>,
): AskedWork {
  const secrets = secretsOf(connection, [request.driver_args, options.webhook], checked, payload);
  const key = secrets.join("\0");
  const masker = lastMasker?.key === key ? lastMasker.masker : createMasker(secrets);
  lastMasker = { key, masker };
  const { head, request: whole, shown } = workOf(request, key, masker);
  const text = (value: string | null | undefined) => (value ? cleaned(value, masker) : undefined);
  const { length, sha256, brief } = head;
  return {
    asked: JSON.stringify({
      ...head,
      label: text(options.label),
      ticket: text(options.ticket),
      note: text(options.note),
      tags: options.tags?.map((tag) => cleaned(tag, masker)),
    }),
    request: whole,
    shown,
    audit: JSON.stringify({ length, sha256, first_line: brief } satisfies AuditAsked),
  };
}

/** @param whole as `GET /job?id=` shows it; a list shows the first line. */
export function shownAsked(asked: string | null, request: string | null, whole: boolean) {
  if (asked === null) return {};
  const { of, brief, all, length, sha256, cut, ...purpose } = v.parse(stored, JSON.parse(asked));
  const value: unknown = whole && request !== null ? JSON.parse(request) : brief;
  const isCut = whole ? cut : !all;
  return { [of]: value, request: { length, sha256, ...(isCut ? { cut: true as const } : {}) }, ...purpose };
}

export function auditAsked(text: string): AuditAsked {
  return v.parse(auditStored, JSON.parse(text));
}

function workOf(
  { command, config }: Pick<ExecuteRequest, "command" | "config">,
  secrets: string,
  masker: Masker,
): Work {
  const from = command ?? config;
  if (last !== undefined && last.from === from && last.secrets === secrets) return last;
  const of = command === undefined || command === null ? "config" : "command";
  const value = maskedIn(command ? shownCommand(command) : config, masker);
  const text = textOf(value);
  const json = JSON.stringify(value);
  // Steps of a dialogue hold more than their lines.
  const cut = text.length > keptChars || json.length > 4 * keptChars;
  const brief = (text.split("\n", 1)[0] ?? "").trimEnd().slice(0, briefChars);
  const sha256 = createHash("sha256").update(text).digest("hex");
  last = {
    from,
    secrets,
    head: { of, brief, all: value === brief, length: Buffer.byteLength(text), sha256, cut },
    request: value === brief ? null : cut ? JSON.stringify(text.slice(0, keptChars)) : json,
    shown: value,
  };
  return last;
}

/** What is hashed: the lines as they are typed, or the context of a template as JSON. */
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
    Object.entries(value).map(([name, member]) => [cleaned(name, masker), maskedIn(member, masker)]),
  );
}

/** By their names, by the schemas of plugins, and what is typed unseen; a password that is also the user name is no secret to anyone. */
function secretsOf(
  connection: Requested["connection"],
  others: unknown,
  checked: readonly unknown[],
  { contextJson, commands }: Held,
): string[] {
  // As it was sent: a field that the driver does not know may hold one, too.
  const named = secretsOfJson(JSON.stringify([connection, others]));
  const hidden = (commands ?? []).flatMap((command) =>
    typeof command === "string" || command.hidden !== true ? [] : [command.reply ?? command.send],
  );
  const { username } = connection;
  const all = [...named, ...revealed(checked), ...hidden, ...secretsOfJson(contextJson ?? "{}")];
  return all.filter((text) => text !== username);
}
