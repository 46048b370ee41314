/** Tools that find devices and ask them. */
import * as v from "valibot";
import type { ChangeDetail } from "../../api/changes/change.ts";
import type { Submitter } from "../../api/jobs/job.ts";
import type { RunRecord } from "../../api/recipes/recipe.ts";
import { described } from "../../api/schema.ts";
import { submitterOf } from "../../auth/caller.ts";
import { ServiceError } from "../../base/errors.ts";
import { isRecord } from "../../base/json/members.ts";
import { factCommand, facts, recordsOf } from "../../jobs/facts.ts";
import { escapedLine } from "../marking.ts";
import {
  chosen,
  most,
  reads,
  selector,
  type ToolCall,
  type ToolServices,
  tool,
  untrustedWord,
  usual,
  waitSeconds,
} from "../tool.ts";
import {
  ask,
  chosenDevices,
  commandFor,
  hasEnded,
  jobsOf,
  type Output,
  outputOf,
  type Question,
  shownOutputs,
} from "./asking.ts";
import { isRehearsal, rehearsedDevices, shownRehearsals } from "./rehearsals.ts";
import { asked } from "./schemas.ts";

export const findDevices = tool({
  name: "find_devices",
  title: "Find devices",
  description:
    "Lists the inventory devices that this key may reach: name, platform, group, site, role and tags. Start here: other tools take device names from this list.",
  annotations: reads,
  input: v.strictObject({
    select: v.optional(selector),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(200)), usual.listed),
    cursor: v.optional(described(v.pipe(v.string(), v.maxLength(2_000)), "`next` of the answer before")),
  }),
  output: v.object({
    total: described(v.number(), "Devices that match"),
    next: described(v.nullable(v.string()), "Cursor of the next page"),
    untrusted: described(
      v.object({
        devices: v.array(
          v.object({
            name: v.string(),
            platform: v.nullable(v.string()),
            group: v.nullable(v.string()),
            site: v.nullable(v.string()),
            role: v.nullable(v.string()),
            tags: v.array(v.string()),
            enabled: v.boolean(),
            readable: described(v.boolean(), "Whether read commands of its platform are known"),
          }),
        ),
      }),
      untrustedWord,
    ),
  }),
  async run({ select, limit, cursor }, { acting, signal }, { inventory, platform }) {
    const [snapshot, page] = await Promise.all([
      inventory.snapshot(),
      inventory.listDevices({ select, signal }, acting, { limit, cursor, effective: false }),
    ]);
    const devices = page.entries.flatMap((entry) => {
      const device = snapshot.device(entry.name);
      if (device === undefined) return [];
      const { name, group, site, role, tags, enabled } = device;
      const readable = device.platform !== null && platform(device.platform)?.reads !== undefined;
      return [{ name, platform: device.platform, group, site, role, tags: [...tags], enabled, readable }];
    });
    return { total: page.total, next: page.next ?? null, untrusted: { devices } };
  },
});

const fact = v.picklist(facts);

export const show = tool({
  name: "show",
  title: "Ask for facts",
  description:
    "Asks devices a question that each system answers with a command of its own, and returns the answer as records where a template or JSON is known, else as text.",
  annotations: { ...reads, openWorldHint: true },
  input: v.strictObject({
    what: described(fact, "What to ask for"),
    ...chosen,
    wait_seconds: waitSeconds,
  }),
  output: asked,
  async run({ what, wait_seconds, ...choice }, call, services) {
    const devices = await chosenDevices(choice, call, services);
    return asking(
      devices.map((device) => {
        const known = device.platform === null ? undefined : services.platform(device.platform);
        const command = factCommand(known, what);
        if (command === undefined)
          return { refused: `there is no command for ${what} on the platform ${known?.name ?? "unknown"}.` };
        const decision = commandFor(device, command, services);
        return "refused" in decision ? decision : { device, ...decision };
      }),
      { label: `mcp show ${what}`, waitSeconds: wait_seconds, parsed: true },
      call,
      services,
    );
  },
});

export const runReadCommand = tool({
  name: "run_read_command",
  title: "Run a read command",
  description:
    "Runs one command that only shows something, on up to 20 devices. Words may be abbreviated; after a | only filters such as include are allowed. Anything that is not known to be harmless is refused, with what is near it. It shows no configuration: the tool config does.",
  annotations: { ...reads, openWorldHint: true },
  input: v.strictObject({
    command: described(
      v.pipe(v.string(), v.minLength(1), v.maxLength(1_000)),
      "One line, such as `show ip bgp summary`",
    ),
    ...chosen,
    wait_seconds: waitSeconds,
  }),
  output: asked,
  async run({ command, wait_seconds, ...choice }, call, services) {
    const devices = await chosenDevices(choice, call, services);
    return asking(
      devices.map((device) => {
        const decision = commandFor(device, command, services);
        return "refused" in decision ? decision : { device, ...decision };
      }),
      { label: "mcp run_read_command", waitSeconds: wait_seconds, parsed: false },
      call,
      services,
    );
  },
});

async function asking(
  decided: readonly (Question | { readonly refused: string })[],
  {
    label,
    waitSeconds,
    parsed,
  }: { readonly label: string; readonly waitSeconds: number; readonly parsed: boolean },
  call: ToolCall,
  services: ToolServices,
): Promise<v.InferInput<typeof asked>> {
  const questions = decided.filter((one): one is Question => "command" in one);
  const reasons = new Map<string, number>();
  for (const one of decided)
    if ("refused" in one) reasons.set(one.refused, (reasons.get(one.refused) ?? 0) + 1);
  const refused = [...reasons].map(([reason, devices]) => ({ devices, reason: escapedLine(reason, 600) }));
  if (questions.length === 0)
    throw new ServiceError(
      "Forbidden",
      `No device was asked: ${refused.map(({ reason }) => reason).join(" ")}`,
    );
  const { bulk_id } = await ask(questions, label, call, services);
  await services.jobs.waitForBulk(bulk_id, waitSeconds * 1_000, call.signal);
  const outputs = (await jobsOf({ bulk_id }, call, services)).map(outputOf);
  const results = shownOutputs(outputs);
  if (parsed)
    await Promise.all(
      outputs.map(async (output, at) => {
        const records = await recordsOfOutput(output, call, services);
        const result = results[at];
        if (records !== undefined && result !== undefined) results[at] = { ...result, output: null, records };
      }),
    );
  return { task: bulk_id, done: outputs.every(hasEnded), refused, untrusted: { results } };
}

async function recordsOfOutput(
  { device, command, output }: Output,
  { acting, signal }: ToolCall,
  { jobs, inventory }: ToolServices,
): Promise<unknown> {
  if (command === null || output === null || output.length > most.outputs) return undefined;
  const platform = (await inventory.snapshot()).device(device)?.platform;
  return recordsOf({ platform, command, output }, most.output, { jobs, caller: acting, signal });
}

export const job = tool({
  name: "job",
  title: "Read a task",
  description:
    "Reads what an earlier call has begun: a bulk of read commands or of rehearsals, one of its jobs, a proposed change, or a proposed run of a recipe. Waits for its end if asked to.",
  annotations: reads,
  input: v.strictObject({
    id: described(v.pipe(v.string(), v.minLength(1), v.maxLength(64)), "`task` of an earlier answer"),
    wait_seconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(most.waitSeconds)), 0),
  }),
  output: v.object({
    kind: v.picklist(["bulk", "job", "change", "run"]),
    done: v.boolean(),
    state: v.nullable(v.string()),
    link: described(v.nullable(v.string()), "Where a person sees it, after signing in"),
    untrusted: described(
      v.object({
        results: asked.entries.untrusted.entries.results,
        rehearsals: v.exactOptional(
          described(rehearsedDevices, "In place of `results`: of the tool `rehearse`"),
        ),
        change: v.nullable(v.unknown()),
        run: v.exactOptional(
          described(v.unknown(), "Of a proposed run: how far it is; not what it has read"),
        ),
      }),
      untrustedWord,
    ),
  }),
  async run({ id, wait_seconds }, call, services) {
    const { jobs } = services;
    const forMs = wait_seconds * 1_000;
    for (const kind of ["bulk", "job"] as const) {
      const filter = kind === "bulk" ? { bulk_id: id } : { id };
      if ((await ownJobs(filter, call, services)).length === 0) continue;
      if (kind === "bulk") await jobs.waitForBulk(id, forMs, call.signal);
      else await jobs.waitFor(id, forMs, call.signal);
      const found = await ownJobs(filter, call, services);
      const shown = found.some(isRehearsal)
        ? { results: [], rehearsals: shownRehearsals(found) }
        : { results: shownOutputs(found.map(outputOf)) };
      return {
        ...{ kind, done: found.every(hasEnded), link: null },
        state: kind === "job" ? (found[0]?.status ?? null) : null,
        untrusted: { ...shown, change: null },
      };
    }
    const run = await services.recipes.proposal(id, call.caller);
    if (run !== undefined)
      return {
        kind: "run" as const,
        ...{ done: run.ended_at !== null, state: run.state, link: linkToRun(call.origin, run) },
        untrusted: { results: [] as never[], change: null, run: shownRun(run) },
      };
    const change = await ownChange(id, call, services);
    return {
      kind: "change" as const,
      ...{ done: change.ended_at !== null, state: change.state },
      link: linkTo(call.origin, id),
      untrusted: { results: [] as never[], change: shownChange(change) },
    };
  },
});

/** What others have asked is theirs, whatever this key may reach. */
async function ownJobs(filter: Parameters<typeof jobsOf>[0], call: ToolCall, services: ToolServices) {
  const jobs = await jobsOf(filter, call, services);
  return jobs.filter(({ submitted_by, tags }) => isOwn(submitted_by, call) && tags?.includes("mcp") === true);
}

/** @throws ServiceError NotFound */
export async function ownChange(
  id: string,
  call: ToolCall,
  { changes }: ToolServices,
): Promise<ChangeDetail> {
  const change = await changes.read(id, call.acting);
  if (isOwn(change.submitted_by, call)) return change;
  throw new ServiceError("NotFound", "There is no such task of this key.");
}

export function isOwn({ kind, name }: Submitter, { acting }: ToolCall): boolean {
  const own = submitterOf(acting);
  return kind === own.kind && name === own.name;
}

export const linkTo = (origin: string, change: string): string =>
  `${origin}/#/change/${encodeURIComponent(change)}`;

export const linkToRun = (origin: string, { recipe, id }: Pick<RunRecord, "recipe" | "id">): string =>
  `${origin}/#/recipe/${encodeURIComponent(recipe)}/${encodeURIComponent(id)}`;

/** What it has read was read with the rights of the person who accepted it, which may be more than the agent's. */
export function shownRun({ recipe, version, state, reason, steps, ...run }: RunRecord) {
  return {
    ...{ recipe, version, dry_run: run.dry_run, devices: run.devices, expires_at: run.expires_at },
    ...(state === "refused" || state === "expired" ? { reason } : {}),
    steps: steps.map(({ name, kind, state, counts }) => ({ name, kind, state, counts })),
  };
}

export function shownChange(change: unknown): unknown {
  if (!isRecord(change)) return null;
  const members = [
    ...["name", "state", "reason", "revision", "hash", "ticket", "created_at", "expires_at", "started_at"],
    ...["ended_at", "wave", "waves", "approvals", "targets", "votes", "by_wave", "warnings", "judged"],
    ...["not_returnable_because", "why", "groups", "rehearsal"],
  ];
  return Object.fromEntries(members.flatMap((name) => (name in change ? [[name, change[name]]] : [])));
}
