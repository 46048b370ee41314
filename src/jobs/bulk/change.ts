/** Submits the parts of a change: what its devices have is read, its lines are pushed, or what they had is given back. */
import type { Check } from "../../api/jobs/checks.ts";
import { bulkRequest } from "../../api/jobs/request.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import { createTimeBudget } from "../../base/time/time-budget.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { ChangeJobs, ChangeSubmission } from "../port.ts";
import { checksAlone } from "../request/checks.ts";
import { type Pinned, pinned, withParsers, withTexts } from "../request/named-templates.ts";
import { checkShape } from "../request/validate.ts";
import type { BulkTools, SubmitChosen } from "./bulk.ts";
import { expandBulk, type SelectedBulk } from "./bulk-selection.ts";
import { chooseDevices, devicesOf, readTake } from "./take.ts";

/** Until then its results are kept: a change may pause for days. */
const resultTtlS = 604_800;
/** A large wave is checked and stored in this time. */
const submitMs = 120_000;

const parsersOf = ({ request, texts }: Pinned<Check[]>) =>
  withParsers(request, "checks", (use) => withTexts(use, texts));

export function createChangeBulks(tools: BulkTools, submit: SubmitChosen): ChangeJobs {
  const { store } = tools;

  /** Another node may have done it, or somebody has stopped the change. */
  async function requireAt({ id, step, part }: ChangeSubmission): Promise<void> {
    const [change, bulks] = await Promise.all([store.changes.find(id), store.changes.partsOf(id)]);
    if (change?.step !== step || bulks.has(part))
      throw new ServiceError("InUse", "The change was moved on meanwhile.");
  }

  async function select(submission: ChangeSubmission, body: Body, caller: Caller): Promise<SelectedBulk> {
    await requireAt(submission);
    const { work } = submission;
    if (work.kind === "take")
      return chooseDevices(tools, readTake(body.value), caller, neverAborted, () => work.reason);
    const expanded = await expandBulk(tools, checkShape(bulkRequest, body.value), caller);
    if (work.kind === "check") return withChecks(expanded, work.devices);
    const byDevice = new Map(work.devices.map((entry) => [entry.device.toLowerCase(), entry]));
    const rehearses =
      work.rehearses === undefined ? {} : { rehearses: { id: submission.id, hash: work.rehearses } };
    return {
      ...expanded,
      chosen: expanded.chosen.map((choice) => {
        const { restore, driverArgs, holdSeconds, ends } =
          byDevice.get(choice?.device?.toLowerCase() ?? "") ?? {};
        return (
          choice && {
            ...choice,
            ...(restore ? { restore } : {}),
            ...(driverArgs ? { driverArgs } : {}),
            ...{ holdSeconds, ends },
            ...rehearses,
          }
        );
      }),
    };
  }

  async function withChecks(
    expanded: SelectedBulk,
    devices: Extract<ChangeSubmission["work"], { kind: "check" }>["devices"],
  ): Promise<SelectedBulk> {
    const byDevice = new Map(devices.map(({ device, checks }) => [device.toLowerCase(), checks]));
    const chosen: SelectedBulk["chosen"][number][] = [];
    for (const choice of expanded.chosen) {
      const driver = tools.plugins.get("driver", choice?.driver ?? "");
      const checks = byDevice.get(choice?.device?.toLowerCase() ?? "");
      // A device without a driver is refused on its own.
      const named = checks && (await pinned(tools, (change) => withParsers(checks, "checks", change)));
      const alone = driver && named && (await checksAlone(parsersOf(named), driver, tools.plugins));
      const found = alone === undefined ? {} : "stored" in alone ? { checks: alone.stored } : alone;
      chosen.push(choice && { ...choice, ...found });
      await yieldToEventLoop();
    }
    return { ...expanded, chosen };
  }

  return {
    changeDevices: async ({ devices, select }, caller, signal = neverAborted) => {
      const snapshot = await tools.inventory.snapshot();
      const named = devices ? await devicesOf(snapshot, { devices: [...devices] }, caller, signal) : [];
      const selected = select ? await devicesOf(snapshot, { select }, caller, signal) : [];
      const found = new Map([...named, ...selected].map((device) => [device.name, device]));
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async changeRoom(shared) {
      const { maxBulk, maxBulkBytes, backlog } = tools;
      const most = Math.min(maxBulk, backlog.most);
      const snapshot = await tools.inventory.snapshot();
      const sharedChars = JSON.stringify(shared).length;
      let [count, chars] = [0, 0];
      return (device, ownChars) => {
        const inventoryChars = JSON.stringify(snapshot.device(device) ?? "").length;
        const size = sharedChars + inventoryChars + ownChars;
        if (count > 0 && (count >= most || chars + size > maxBulkBytes)) return false;
        count++;
        chars += size;
        return true;
      };
    },

    async changeBulk(submission, caller) {
      requireScope(caller, "operate");
      const { id, step, part, work } = submission;
      const value = bodyOf(submission);
      const body = { text: JSON.stringify(value), value };
      const change = { id, step, part };
      const budget = createTimeBudget(submitMs);
      const asked = { endpoint: "change", body, caller, key: undefined, budget, change } as const;
      const answer = await submit(asked, neverAborted, () => () => select(submission, body, caller));
      if (work.devices.length > 0) return answer.bulk_id;
      throw new ServiceError("Internal", "a part of a change without devices");
    },
  };
}

interface Body {
  readonly text: string;
  readonly value: unknown;
}

function bodyOf({ id, work }: ChangeSubmission): Record<string, unknown> {
  const own = { result_ttl: resultTtlS, tags: [`change:${id}`] };
  if (work.kind === "take")
    return { devices: [...work.devices], options: { ...own, label: work.label }, concurrency: undefined };
  return {
    ...work.shared,
    ...own,
    ...(work.kind === "push" && work.rehearses !== undefined ? { rehearse: true } : {}),
    devices:
      work.kind === "check"
        ? work.devices.map(({ device, checks }) => ({
            device,
            command: [...new Set(checks.map(({ command }) => command))],
          }))
        : work.devices.map(({ device, config }) => ({
            device,
            config: typeof config === "string" ? config : [...config],
          })),
  };
}
