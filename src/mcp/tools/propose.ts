/** The tool that proposes a change: a draft with its plan and rehearsal, which only a person's vote sends. */
import * as v from "valibot";
import { type ChangeDetail, type ChangeRequest, changeRequest } from "../../api/changes/change.ts";
import { described } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import { isGiven } from "../../base/json/members.ts";
import { escaped, escapedLine } from "../marking.ts";
import { decideRead } from "../reads.ts";
import {
  configLines,
  deviceName,
  requireInline,
  selector,
  type ToolCall,
  type ToolServices,
  tool,
  untrustedWord,
} from "../tool.ts";
import { linkTo, shownChange } from "./devices.ts";
import { rehearsalSum, sumOf } from "./rehearsals.ts";

const mostDevices = 1_000;
/** The answer waits for grades of a few devices. */
const rehearseMs = 15_000;
const { checks, strategy, ticket } = changeRequest.pipe[0].entries;

export const proposeChange = tool({
  name: "propose_change",
  title: "Propose a change",
  description:
    "Proposes configuration lines for devices. The service drafts, plans and rehearses the change; nothing is sent to a device before a person has read its lines and your reason, voted for it and started it, which you cannot do. Returns a link for that person. The same call again returns the same change.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: v.strictObject({
    name: described(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), "What the change is for"),
    reason: described(
      v.pipe(v.string(), v.minLength(10), v.maxLength(2_000)),
      "Why, for the person who decides: what was seen, and what the lines do",
    ),
    devices: v.optional(
      described(
        v.pipe(v.array(deviceName), v.minLength(1), v.maxLength(mostDevices)),
        "Names of inventory devices",
      ),
    ),
    select: v.optional(selector),
    lines: configLines,
    ticket: v.optional(ticket),
    checks: v.optional(
      described(checks, "Read commands before and after the push of a device, and what they must show"),
    ),
    strategy: v.optional(described(strategy, "Waves and limits, without questions to other services")),
  }),
  output: v.object({
    change: described(v.string(), "Its id: the tool `job` reads it"),
    state: described(v.string(), "`waiting_approval`: it is planned, and a person must vote"),
    revision: v.number(),
    link: described(v.string(), "Where a person reads it and votes, after signing in"),
    approvals: v.object({ needed: v.number(), given: v.number() }),
    devices: v.number(),
    rehearsal: described(
      v.nullable(rehearsalSum),
      "What is known of its lines, as far as it is rehearsed now: the tool `rehearse` with `change` tells each line; null: no rehearsal could be begun",
    ),
    untrusted: described(v.object({ change: v.unknown() }), untrustedWord),
  }),
  async run({ reason, lines, ...rest }, call, services) {
    const { name, devices, select, ticket, checks, strategy } = rest;
    if ((devices === undefined) === (select === undefined))
      throw new ServiceError("BadRequest", "Give either devices or select.");
    if ((strategy?.questions ?? []).length > 0)
      throw new ServiceError("Forbidden", "An agent asks no other services: leave out strategy.questions.");
    await requireReadChecks(checks, { devices, select }, call, services);
    const request: ChangeRequest = {
      name: escapedLine(name, 200),
      note: escaped(reason),
      ...(devices === undefined ? { select } : { devices }),
      config: lines,
      ...Object.fromEntries(
        Object.entries({ ticket, checks, strategy }).filter(([, value]) => isGiven(value)),
      ),
    };
    const body = { text: JSON.stringify(request), value: request };
    const { changes } = services;
    const once = { key: call.onceKey, sha256: call.sha256 };
    const change = await changes.propose(body, once, call.caller);
    if (change.state === "draft" && change.reason !== null) {
      // It could not be planned: nobody needs it.
      const word = { value: { note: "could not be planned" }, text: "" };
      await changes.say(change.id, "cancel", word, { ...call.acting, scope: "operate" });
      throw new ServiceError("Forbidden", `It was not proposed: ${change.reason}`);
    }
    const { id, state, revision, approvals, targets, rehearsal } = await rehearsed(change, call, services);
    return {
      ...{ change: id, state, revision, approvals, link: linkTo(call.origin, id) },
      rehearsal: rehearsal === null ? null : sumOf(rehearsal),
      devices: Object.values(targets).reduce((sum, count) => sum + count, 0),
      untrusted: { change: shownChange(change) },
    };
  },
});

/** The service begins with the plan; a crash in between leaves it to the repeat. */
async function rehearsed(
  change: ChangeDetail,
  { acting, signal }: ToolCall,
  { changes, jobs }: ToolServices,
): Promise<ChangeDetail> {
  if (change.state !== "waiting_approval") return change;
  let { rehearsal } = change;
  try {
    if (rehearsal === null || rehearsal.stale) {
      const value = { missing: true };
      ({ rehearsal } = await changes.rehearse(change.id, { text: "", value }, acting));
    }
  } catch (error) {
    // It is proposed all the same: persons see that nothing is known of its lines.
    if (!(error instanceof ServiceError)) throw error;
  }
  if (rehearsal !== null) await jobs.waitForBulk(rehearsal.bulk_id, rehearseMs, signal);
  return changes.read(change.id, acting);
}

/** Checks are commands, too. @throws ServiceError Forbidden */
async function requireReadChecks(
  checks: ChangeRequest["checks"],
  choice: { readonly devices: readonly string[] | undefined; readonly select: string | undefined },
  { acting, signal }: ToolCall,
  { inventory, platform }: ToolServices,
): Promise<void> {
  const all = [...(checks?.before ?? []), ...(checks?.after ?? [])];
  for (const { parse } of all) requireInline(parse?.template ?? undefined);
  const commands = all.map(({ command }) => command);
  if (commands.length === 0) return;
  const snapshot = await inventory.snapshot();
  const names = [...(choice.devices ?? [])];
  if (choice.select !== undefined)
    for (let cursor: string | undefined; ; ) {
      const page = { limit: 500, cursor, effective: false };
      const { entries, next } = await inventory.listDevices({ select: choice.select, signal }, acting, page);
      names.push(...entries.map((entry) => entry.name));
      if (next === undefined) break;
      if (names.length > mostDevices)
        throw new ServiceError("BadRequest", `An agent proposes for ${mostDevices} devices at most.`);
      cursor = next;
    }
  const known = new Set(
    names.flatMap((one) => {
      const device = snapshot.device(one);
      return device === undefined ? [] : [device.platform];
    }),
  );
  for (const name of known) {
    // Nobody knows what a command does there.
    if (name === null)
      throw new ServiceError(
        "Forbidden",
        "A check must be a read command, and the platform of a device is not known to the inventory: leave out the checks, or choose devices with a platform.",
      );
    for (const command of commands) {
      const decision = decideRead(command, platform(name)?.reads, name);
      if ("refused" in decision)
        throw new ServiceError("Forbidden", `A check must be a read command: ${decision.refused}`);
      if (decision.command !== command)
        throw new ServiceError(
          "BadRequest",
          `A check is sent as it is written: write ${decision.command} in whole words.`,
        );
    }
  }
}
