/** The modules that macros can import. */
import type { Value } from "../../../python/index.ts";
import { ipaddress } from "./ipaddress.ts";
import { itertools } from "./itertools.ts";
import { json } from "./json.ts";
import { re } from "./re.ts";
import { createLogging, smallModules } from "./small.ts";
import { createDatetime, createTime } from "./time.ts";

/** Without state: one for all interpreters. */
export const sharedModules: ReadonlyMap<string, Value> = new Map([
  ...smallModules,
  ...Object.entries({ ipaddress, itertools, json, re }),
]);

/** Those that know the interpreter's output or clock. */
export const ownModules = ({ log, now }: { log: (text: string) => void; now: () => Date }) =>
  new Map<string, () => Value>([
    ["logging", () => createLogging(log)],
    ["datetime", () => createDatetime(now)],
    ["time", () => createTime(now)],
  ]);
