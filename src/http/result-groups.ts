/** Groups the results of many jobs by equal outputs: remembers hashes and names, never the outputs. */
import { createHash } from "node:crypto";
import type { ListedJob } from "../api/jobs/job.ts";
import {
  type FailureGroup,
  type GroupedDevice,
  type OutputGroup,
  type ResultGroups,
  resultGroupLimits,
} from "../api/jobs/result-groups.ts";
import { outputsOf } from "./export/outputs.ts";

export interface GroupOptions {
  /** Only outputs of this command. */
  readonly command?: string | undefined;
  /** Only outputs that contain this, in any case. */
  readonly contains?: string | undefined;
  readonly limit: number;
  /** Devices named in each group. */
  readonly devices: number;
}

/** A group before its output has been read. */
export type Unread = Omit<OutputGroup, "output" | "cut" | "parsed">;

export interface Grouping {
  add(job: ListedJob): void;
  /** Without the outputs. */
  groups(): Omit<ResultGroups, "groups"> & { readonly groups: readonly Unread[] };
}

export function createGrouping({ command, contains, limit, devices }: GroupOptions): Grouping {
  const needle = contains?.toLowerCase();
  const groups = new Map<string, Unread>();
  const failures = new Map<string, FailureGroup>();
  const commands = new Set<string>();
  let [jobs, withoutResult, named, incomplete] = [0, 0, 0, false];

  function count(group: Pick<Unread, "count" | "devices">, job: ListedJob): void {
    group.count++;
    if (group.devices.length >= devices || named >= resultGroupLimits.mostNamed) return;
    named++;
    group.devices.push(namedDevice(job));
  }

  function addOutput(name: string, text: string, job: ListedJob): void {
    if (commands.size < resultGroupLimits.mostCommands) commands.add(name);
    if (!commands.has(name) && name !== command) incomplete = true;
    if (command !== undefined && name !== command) return;
    if (needle !== undefined && !text.toLowerCase().includes(needle)) return;
    const sha256 = hashOf(text);
    const key = `${sha256} ${name}`;
    let group = groups.get(key);
    if (group === undefined) {
      incomplete ||= groups.size >= resultGroupLimits.mostDifferent;
      if (groups.size >= resultGroupLimits.mostDifferent) return;
      group = { command: name, sha256, count: 0, devices: [] };
      groups.set(key, group);
    }
    count(group, job);
  }

  return {
    add(job) {
      if (job.result === null) {
        withoutResult++;
        return;
      }
      jobs++;
      const { outputs, error } = outputsOf(job);
      for (const { command: name, text } of outputs) addOutput(name, text, job);
      if (error === undefined || needle !== undefined) return;
      const failure = failures.get(error.type) ?? {
        error_type: error.type,
        message: error.message.slice(0, messageChars),
        count: 0,
        devices: [],
      };
      failures.set(error.type, failure);
      count(failure, job);
    },

    groups() {
      const order = new Map([...commands].map((name, at) => [name, at]));
      const place = ({ command }: Unread) => order.get(command) ?? order.size;
      const sorted = [...groups.values()].sort((a, b) => place(a) - place(b) || b.count - a.count);
      return {
        jobs,
        without_result: withoutResult,
        commands: [...commands],
        groups: sorted.slice(0, limit),
        failures: [...failures.values()].sort((a, b) => b.count - a.count),
        more_groups: Math.max(0, sorted.length - limit),
        ...(incomplete ? { incomplete: true } : {}),
      };
    },
  };
}

const messageChars = 500;

/** Line ends at the end of an output tell nothing. */
const hashOf = (text: string) => createHash("sha256").update(text.trimEnd()).digest("hex");

/** The output of a group, from the record of its first job; undefined if that was deleted meanwhile. */
export function outputIn(job: ListedJob, { command, sha256 }: Unread): OutputPart | undefined {
  const { outputs } = outputsOf(job);
  const output = outputs.find(({ command: name, text }) => name === command && hashOf(text) === sha256);
  if (output === undefined) return undefined;
  const text = output.text.trimEnd();
  const isCut = text.length > resultGroupLimits.outputChars;
  return {
    output: isCut ? text.slice(0, resultGroupLimits.outputChars) : text,
    ...(isCut ? { cut: true } : {}),
    ...(output.parsed ? { parsed: true } : {}),
  };
}

type OutputPart = Pick<OutputGroup, "output" | "cut" | "parsed">;

function namedDevice({ id, device, host }: ListedJob): GroupedDevice {
  return { id, ...(device ? { device } : {}), host };
}
