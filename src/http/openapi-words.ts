/** What the description says of headers, statuses, tags and parameters. */

export const requestHeaders = {
  Prefer: "`wait=<seconds>`: answer when the work has ended or the time is over, at most 600.",
  "Last-Event-ID": "Where an earlier stream ended: what came after it is sent.",
  "Idempotency-Key": "The same key and body within 24 hours give the first answer again.",
  "If-Match": "The `ETag` that was read, or `*`: refused with 412 where it is changed since, or not there.",
  "If-None-Match": "`*`: refused with 412 where it is there already.",
} as const;

export const statuses = {
  "400": "Bad request",
  "403": "API key missing or wrong, or not allowed to this key",
  "404": "Not found",
  "409": "The first request with this Idempotency-Key is still under way (see Retry-After), or it is in use",
  "412": "It is at another revision than `If-Match` says",
  "413": "Body too large",
  "415": "Body of another type, character set or packing",
  "422": "Validation failed",
  "429": "Too many requests; see Retry-After",
  "500": "Unexpected; data.error_id stands in the log",
  "503": "Unavailable; see Retry-After",
  "507": "No room on the disk, or in the transfer folder",
} as const;
export type Status = keyof typeof statuses;

/** Answers with one of these say when to come again. */
export const comeAgain: readonly Status[] = ["409", "429", "503"];

/** By the first step of a path. */
export const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  device: { name: "Devices", description: "Operations on devices: one, many, and whether a login works." },
  template: { name: "Templates", description: "Rendering and parsing, without a device." },
  job: { name: "Jobs", description: "What was submitted: read, watched, cancelled." },
  bulk: { name: "Bulks", description: "The jobs of one request for many devices, together." },
  events: { name: "Events", description: "What happens, while it happens, as Server-Sent Events." },
  inventory: {
    name: "Inventory",
    description: "Devices and groups: what each is, what it inherits, how it is reached.",
  },
  "detached-task": { name: "Detached tasks", description: "Work on servers that outlives its job." },
  worker: { name: "Workers", description: "Who runs jobs." },
  file: { name: "Files", description: "The transfer folder of the node that answers." },
  key: {
    name: "API keys",
    description: "Who may ask, for what, on which devices; sessions of a browser; kept credentials.",
  },
  service: { name: "Service", description: "Plugins, metrics, health, the audit trail, this description." },
};

/** Steps that belong to the tag of another one. */
const beside: Readonly<Record<string, string>> = { session: "key", credential: "key" };

export function tagOf(path: string) {
  const [, step = ""] = path.split("/");
  return tags[beside[step] ?? step] ?? tags.service;
}

/** Parameters of queries and paths; what a route means by one stands in docs/api.md. */
export const parameterWords: Readonly<Record<string, string>> = {
  id: "By id",
  name: "By name; in a path of jobs, bulks and detached tasks the id",
  status: "By status",
  group: "By group: in it, or in one below it",
  effective: "`false`: as it was written, without what it inherits",
  mode: "`merge`: fields that are given replace; `replace`: whole devices; `mirror`: and others are removed",
  dry_run: "`true`: tells what would happen, and changes nothing",
  max_changes: "More that would be added, changed and removed are refused",
  max_removals: "More that would be removed are refused",
  delimiter: "Of `oxidized`: what parts the columns",
  map: "Of `oxidized`: names of the columns, with commas between",
  queue: "`fifo` or `pinned_<host>`",
  host: "By host, in any spelling of its address",
  device: "By the device of the inventory that was named or selected",
  select: "A selector: of the hosts that its devices have now",
  driver: "By driver",
  node: "By node",
  bulk_id: "The jobs of one bulk",
  since: "Created at or after; ISO 8601, without an offset in the zone of the service",
  until: "Created before; ISO 8601, without an offset in the zone of the service",
  limit: "How many at most; the rest is a further page",
  cursor: "What `X-Next-Cursor` of the page before said",
  force: "What else would be refused, too; docs/api.md says what",
  state: "By state",
  offset: "The first byte wanted",
  overwrite: "`false`: a file that exists is not replaced",
  sha256: "Of what is sent, in hexadecimal: another one is refused",
  error_type: "By the type of the error of jobs that failed",
  label: "By label",
  ticket: "By ticket",
  tag: "By tag",
  operation: "`query` or `config`",
  fields: "Fields of the record that are wanted, separated by commas",
  include_result: "`false` leaves the results out",
  format: "Form of the file",
  source: "Credential source that it is kept for; default `file`",
  output: "`true`: with what the devices say",
  states: "`false`: counts only",
  minutes: "How far back",
};

/** Fields of request bodies. */
export const fieldWords: Readonly<Record<string, string>> = {
  driver: "Name of a driver",
  connection_args: "How the device is reached. `host` or `hostname` is required",
  device: "Name of a device of the inventory: what is not said here comes from there",
  select: "A selector: these devices of the inventory, in place of `devices` or beside them",
  limit: "At most so many of what `select` chooses, in the order of `order`",
  sample: "So many of what `select` chooses, by chance",
  devices: "Each is laid over `connection_args`, field by field; it may have its own `command` or `config`",
  command: "A query: one command or several. One of `command` and `config` is given",
  config: "A configuration: lines, or with `rendering` the context of the template",
  driver_args: "Arguments of the driver for this operation",
  options: "What holds for the job, whatever the driver",
  parsing: "Parses each command's output. Also in `options`",
  rendering: "Renders what is pushed. Also in `options`",
  queue_strategy:
    "`pinned`: one job at a time for each host, on a session that is kept; `fifo`: many at once",
  ttl: "Seconds until a job that waits fails as `JobExpired`, and one that runs as `JobTimeout`; default 300, bulk 600",
  execution_timeout: "Another name of `ttl`",
  webhook: "Told when the job has ended",
  priority: "Which jobs of the queue `fifo` go first among those of one API key",
  label: "What the job is for, in your words",
  ticket: "Number of a change or incident",
  note: "More words",
  tags: "Words to find it by",
  not_before:
    "ISO 8601 with offset, at most 30 days ahead: the job does not start before, and its `ttl` begins then",
  result_ttl: "Seconds that the result is kept",
  retries: "How often a query is started again when its worker was lost",
  concurrency: "How many jobs of the bulk run at once",
  max_failures: "After so many failed jobs the rest of the bulk is cancelled",
  order: "In which order the devices of the bulk are worked on",
  name: "Of the engine, source, key, device or group",
  template: "The text, or `file://`, `http(s)://` or `ftp://` where it is",
  context: "Variables of the template; of a parser the text",
  args: "Arguments of the engine",
  templates: "Further templates by name, to include, import or extend",
  strict: "What looks like a mistake of the template is an error",
  timeout: "Seconds of computing",
  use_ttp_template: "A built-in template, named by `ttp_template_args`",
  ttp_template_args: "`platform` and `command`",
  use_ntc_template: "A template of the community's set, named by `ntc_template_args`",
  ntc_template_args: "`platform` and `command`",
  path: "Of the parser `json`: where the wanted part is",
  scope: "What the key may do",
  hosts: "Patterns of the devices it may reach; none: all",
  credentials: "Patterns of `<source>:<ref>` that it may name in `credential`; an empty list: none",
  expires_days: "Days until it ends",
  only: "Which jobs: those that failed, those that were cancelled, or both",
  error_type: "Only those that failed with one of these types",
  force: "Also a configuration of which nobody knows whether it ran",
  credential: "Where the secrets come from",
  host: "Name or address that is dialled; default the name",
  port: "That is dialled",
  platform: "What the driver calls `device_type`, `platform` or so",
  site: "Where it stands",
  role: "What it is for",
  connection: "Further fields of `connection_args`, none of them a secret",
  vars: "Variables of its own, none of them a secret",
  group: "The group that it is in",
  parent: "The group above it",
  description: "What it is",
  window: "When its devices may be configured",
  enabled: "`false`: it is left out unless it is asked for",
  groups: "Written before the devices",
  mode: "What becomes of what is there already",
  dry_run: "`true`: tells what would happen, and changes nothing",
  max_changes: "More that would be added, changed and removed are refused",
  max_removals: "More that would be removed are refused",
};
