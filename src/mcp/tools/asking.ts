/** Asks devices: which ones, with which commands, and what they answered. */
import type * as v from "valibot";
import { canonicalHost } from "../../api/identity.ts";
import type { BulkAnswer } from "../../api/jobs/bulk.ts";
import type { ListedJob } from "../../api/jobs/job.ts";
import { mayReach } from "../../auth/reach.ts";
import { ServiceError } from "../../base/errors.ts";
import { RawJson } from "../../base/json/json.ts";
import { isRecord } from "../../base/json/members.ts";
import type { EffectiveDevice } from "../../inventory/port.ts";
import { cutText } from "../marking.ts";
import { decideRead } from "../reads.ts";
import { most, type ToolCall, type ToolServices } from "../tool.ts";
import type { asked } from "./schemas.ts";

export interface Chosen {
  readonly devices?: readonly string[] | undefined;
  readonly select?: string | undefined;
}

/** @throws ServiceError Validation, NotFound, Forbidden */
export async function chosenDevices(
  { devices, select }: Chosen,
  { acting, signal }: ToolCall,
  { inventory }: ToolServices,
): Promise<EffectiveDevice[]> {
  if ((devices === undefined) === (select === undefined))
    throw new ServiceError("BadRequest", "Give either devices or select.");
  const snapshot = await inventory.snapshot();
  const names =
    devices ??
    (
      await inventory.listDevices({ select, signal }, acting, { limit: most.devices + 1, effective: false })
    ).entries.map(({ name }) => name);
  if (names.length > most.devices)
    throw new ServiceError("BadRequest", `More than ${most.devices} devices match: choose fewer.`);
  const found = [...new Set(names)].map((name) => {
    const device = snapshot.device(name);
    // As if it were not there.
    if (device === undefined || !mayReach(acting, device.host))
      throw new ServiceError(
        "NotFound",
        `There is no such device in the inventory, or this key may not reach it (entry ${names.indexOf(name) + 1}): find_devices lists those that it may.`,
      );
    return device;
  });
  if (found.length === 0) throw new ServiceError("NotFound", "No device matches the selector.");
  return found;
}

/** Which command a device is to be asked; `refused`: none, and why. */
export function commandFor(
  device: EffectiveDevice,
  command: string,
  { platform, driver }: ToolServices,
): { readonly command: string } | { readonly refused: string } {
  const known = device.platform === null ? undefined : platform(device.platform);
  if (known === undefined) return { refused: "its platform is not known to the inventory." };
  const decision = decideRead(command, known.reads, known.name);
  if ("refused" in decision) return decision;
  const by = device.driver === null ? undefined : driver(device.driver);
  if (by === undefined) return { refused: "its driver is not known to the inventory." };
  // The second lock: a driver that does not promise it may do more than ask.
  if (by.commands !== "lines" || by.repeatable?.("query", {}, [decision.command]) !== true)
    return {
      refused: `its driver ${by.name} does not promise that a command only asks: use the driver netmiko.`,
    };
  return decision;
}

export interface Question {
  readonly device: EffectiveDevice;
  readonly command: string;
}

/** One job per question, as a bulk of the caller. @throws ServiceError as `Jobs.bulk` */
export function ask(
  questions: readonly Question[],
  label: string,
  { acting, signal }: ToolCall,
  { jobs }: ToolServices,
): Promise<BulkAnswer> {
  const value = {
    devices: questions.map(({ device, command }) => ({ device: device.name, command })),
    label,
    tags: ["mcp"],
    ttl: 120,
  };
  return jobs.bulk({ text: JSON.stringify(value), value }, acting, undefined, signal);
}

/** The jobs of a bulk, or one of them, if they are the caller's own. */
export async function jobsOf(
  filter: { readonly bulk_id: string } | { readonly id: string },
  { acting, signal }: ToolCall,
  { jobs }: ToolServices,
): Promise<ListedJob[]> {
  const { pieces } = await jobs.page(filter, acting, { limit: most.devices, signal });
  const found: ListedJob[] = [];
  for await (const piece of pieces) found.push(...piece);
  return found;
}

export interface Output {
  readonly device: string;
  readonly host: string;
  readonly status: string;
  readonly command: string | null;
  readonly output: string | null;
  readonly failure: { readonly type: string; readonly message: string } | null;
}

export function outputOf(job: ListedJob): Output {
  const { retval, failure } = resultOf(job);
  const [first] = Object.entries(retval);
  return {
    device: job.device ?? job.host,
    host: canonicalHost(job.host),
    status: job.status,
    command: first?.[0] ?? null,
    output: first === undefined ? null : typeof first[1] === "string" ? first[1] : JSON.stringify(first[1]),
    failure,
  };
}

/** What a job has brought, by command, and why it has failed. */
export function resultOf({ result: given }: ListedJob): {
  readonly retval: Record<string, unknown>;
  readonly failure: Output["failure"];
} {
  const result: unknown = given instanceof RawJson ? JSON.parse(given.text) : given;
  const error = isRecord(result) && isRecord(result.error) ? result.error : undefined;
  return {
    retval: isRecord(result) && isRecord(result.retval) ? result.retval : {},
    failure: error === undefined ? null : { type: String(error.type), message: String(error.message) },
  };
}

export const hasEnded = ({ status }: { readonly status: string }): boolean =>
  !["queued", "running"].includes(status);

type Asked = v.InferInput<typeof asked>;

/** As they are answered: long outputs are cut, and together they are bounded. */
export function shownOutputs(outputs: readonly Output[]): Asked["untrusted"]["results"] {
  let left: number = most.outputs;
  return outputs.map(({ host: _, output, ...rest }) => {
    if (output === null) return { ...rest, output: null };
    const room = Math.max(500, Math.min(most.output, left));
    const { text, cut_from } = cutText(output, room);
    left -= text.length;
    return { ...rest, output: text, ...(cut_from === undefined ? {} : { cut_from }) };
  });
}
