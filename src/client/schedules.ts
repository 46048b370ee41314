/** Schemas of schedules, and the body of a schedule from a file and flags. */
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import { readInput, readObject } from "./input.ts";

export const firingRecord = v.looseObject({
  due_at: v.string(),
  fired_at: v.nullable(v.string()),
  status: v.string(),
  bulk_id: v.optional(v.string()),
  reason: v.optional(v.string()),
});
export const firingList = v.array(firingRecord);
export const scheduleRecord = v.looseObject({
  id: v.string(),
  name: v.string(),
  state: v.string(),
  why: v.optional(v.string()),
  cron: v.optional(v.string()),
  time_zone: v.optional(v.string()),
  every: v.optional(v.string()),
  at: v.optional(v.string()),
  window: v.optional(v.array(v.string())),
  // The service leaves out what it cannot read.
  overlap: v.optional(v.string(), ""),
  missed: v.optional(v.looseObject({ policy: v.string() }), { policy: "" }),
  what: v.looseObject({ kind: v.optional(v.string(), ""), source: v.optional(v.string()) }),
  owner: v.looseObject({ name: v.string() }),
  next: v.array(v.string()),
  last: v.nullable(firingRecord),
});
export const scheduleList = v.array(scheduleRecord);
export const previewed = v.object({ next: v.array(v.string()) });
export type Schedule = v.InferOutput<typeof scheduleRecord>;
export type Firing = v.InferOutput<typeof firingRecord>;

/** Flags of `patchbay schedule add` and `next`. */
export interface ScheduleFlags {
  readonly name?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly every?: string;
  readonly at?: string;
  readonly jitter?: string;
  readonly notAfter?: string;
  readonly window?: readonly string[];
  readonly overlap?: string;
  readonly missed?: string;
  readonly label?: string;
  readonly ticket?: string;
  readonly driver?: string;
  readonly platform?: string;
  readonly select?: string;
  readonly host?: readonly string[];
  readonly credential?: string;
  readonly command?: readonly string[];
  readonly configFile?: string;
  readonly sync?: string;
}

/** Flags override fields of the file. @throws ServiceError Validation */
export function scheduleBody(file: string | undefined, flags: ScheduleFlags): Record<string, unknown> {
  const { name, cron, every, at, overlap, label, ticket, window } = flags;
  const { timeZone: time_zone, notAfter: not_after } = flags;
  const operation = flags.sync === undefined ? requestOf(flags) : { kind: "sync", source: flags.sync };
  return {
    ...(file === undefined ? {} : readObject(file)),
    ...presentFields({
      name,
      cron,
      time_zone,
      every,
      at,
      not_after,
      overlap,
      label,
      ticket,
      window,
      what: operation,
    }),
    ...(flags.jitter === undefined ? {} : { jitter_seconds: Number(flags.jitter) }),
    ...(flags.missed === undefined ? {} : { missed: { policy: flags.missed } }),
  };
}

/** @returns undefined if the flags specify no request. */
function requestOf({ driver, platform, select, host, credential, command, configFile }: ScheduleFlags) {
  if (command === undefined && configFile === undefined) return undefined;
  if (command !== undefined && configFile !== undefined)
    throw new ServiceError("Validation", "--command and --config-file cannot be combined.");
  const [source = "", ...ref] = credential?.split(":") ?? [];
  const connection_args = presentFields({
    device_type: platform,
    credential: credential === undefined ? undefined : { name: source, ref: ref.join(":") },
  });
  const work =
    configFile === undefined ? { command } : { config: readInput(configFile).trimEnd().split("\n") };
  return {
    kind: configFile === undefined ? "query" : "push",
    request: presentFields({
      driver,
      select,
      connection_args,
      devices: host?.map((name) => ({ host: name })),
      ...work,
    }),
  };
}

function presentFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
