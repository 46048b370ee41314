/** Texts of the OpenAPI document: headers, statuses, tags, parameters and fields. */

export const requestHeaders = {
  Prefer: "`wait=<seconds>`: return when the work has ended or the time is up, at most 600.",
  "Last-Event-ID": "Position at which an earlier stream ended; the new one continues from there.",
  "Idempotency-Key": "The same key and body within 24 hours return the first answer again.",
  "If-Match": "The `ETag` that was read, or `*`: 412 if the resource has changed since, or does not exist.",
  "If-None-Match": "`*`: 412 if the resource already exists.",
} as const;

export const statuses = {
  "400": "Bad request",
  "403": "API key missing, wrong, or without permission",
  "404": "Not found",
  "409":
    "The first request with this Idempotency-Key is still in progress (see Retry-After), or the resource is in use",
  "412": "The revision differs from `If-Match`, or the resource already exists",
  "413": "Body too large",
  "415": "Unsupported content type, character set or encoding",
  "422": "Validation failed",
  "429": "Too many requests; see Retry-After",
  "500": "Internal error; data.error_id identifies it in the log",
  "503": "Unavailable; see Retry-After",
  "507": "Insufficient space on the disk or in the transfer folder",
} as const;
export type Status = keyof typeof statuses;

/** Answers with one of these have `Retry-After`. */
export const withRetryAfter: readonly Status[] = ["409", "429", "503"];

/** By the first segment of a path. */
export const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  device: { name: "Devices", description: "Operations on one or many devices, and connection tests." },
  template: {
    name: "Templates",
    description: "Rendering and parsing without a device, and templates that are stored.",
  },
  job: { name: "Jobs", description: "Submitted jobs: query, watch, cancel, retry." },
  bulk: { name: "Bulks", description: "The jobs of one request for many devices, as a unit." },
  events: { name: "Events", description: "Live events, as Server-Sent Events." },
  inventory: {
    name: "Inventory",
    description: "Devices and groups: fields, inheritance, connection.",
  },
  "detached-task": {
    name: "Detached tasks",
    description: "Work on servers that outlives the job which started it.",
  },
  change: {
    name: "Changes",
    description: "Pushes to many devices that are planned, voted on, rolled out in waves and returned.",
  },
  mcp: {
    name: "Agents",
    description: "Tools that read, and propose changes, over the Model Context Protocol.",
  },
  intent: {
    name: "Intents and drift",
    description: "What configurations should be, how they differ from it, and changes that mend it.",
  },
  recipe: { name: "Recipes", description: "Stored operations that are run with a few values." },
  evidence: {
    name: "Evidence",
    description: "What devices answered to pushed lines, by the shape of the line, without values.",
  },
  schedule: { name: "Schedules", description: "Work that runs automatically at given times." },
  webhook: { name: "Stored webhooks", description: "Tell other systems what has happened." },
  oxidized: {
    name: "Oxidized",
    description: "Its REST interface on the history, for LibreNMS, NetXMS and scripts.",
  },
  worker: { name: "Workers", description: "The workers that run jobs." },
  file: { name: "Files", description: "The transfer folder of the node that answers." },
  key: {
    name: "API keys",
    description:
      "API keys with their scopes and hosts, login sessions, stored credentials, host keys of devices.",
  },
  person: {
    name: "Persons",
    description: "Persons who sign in, and the roles that say what they may do.",
  },
  service: {
    name: "Service",
    description: "Plugins, settings, metrics, health, the audit trail, this document.",
  },
};

/** Path segments that belong to the tag of another one. */
const beside: Readonly<Record<string, string>> = {
  session: "key",
  login: "key",
  credential: "key",
  "host-key": "key",
  role: "person",
  drift: "intent",
};

export function tagOf(path: string) {
  const [, step = ""] = path.split("/");
  return tags[beside[step] ?? step] ?? tags.service;
}

/** Parameters that several routes have; others are described where they are defined. */
export const parameterWords: Readonly<Record<string, string>> = {
  id: "By id",
  name: "By name; in paths of jobs, bulks and detached tasks the id, of schedules either",
  status: "By status",
  dry_run: "Whether dry runs or the others",
  id_prefix: "By the first 4 or more characters of the id; of the newest 1,000 that begin so",
  submitted_by:
    "By who submitted it: a name, `<kind>:<name>` such as `schedule:nightly`, or `me`: the key of the request, or the person who made it, with all of the person's keys",
  port: "Only of this port",
  reason: "Held jobs only, by the reason they are held; `held`: from a copied or restored directory",
  queue: "`fifo` or `pinned_<host>`",
  host: "By host, in any spelling of its address",
  device: "By the inventory device that was named or selected",
  select: "A selector: matches the hosts that its devices have now",
  driver: "By driver",
  node: "By node",
  bulk_id: "The jobs of one bulk",
  since: "Created at or after; ISO 8601; without an offset, in the zone of the service",
  until: "Created before; ISO 8601; without an offset, in the zone of the service",
  limit: "Maximum number; the rest is on further pages",
  cursor: "`X-Next-Cursor` of the previous page",
  force: "Also do what would otherwise be rejected; see docs/reference/api.md",
  error_type: "By error type of failed jobs",
  label: "By label",
  ticket: "By ticket",
  tag: "By tag",
  operation: "`query` or `config`",
  format: "Format of the file",
  source: "Credential source that stores it; default `file`",
};
