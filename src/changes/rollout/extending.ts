/** Starts the timers of pushes that wait in their devices anew, while a wave or a pause lasts longer than they do. */
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence } from "../../base/issues.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { ChangeJobs } from "../../jobs/port.ts";
import type { Store, StoredChange, StoredChangeTarget, TargetMove } from "../../store/port.ts";
import { changeParts } from "../../store/port.ts";
import { devicesOf } from "../labels.ts";
import type { PlanTools } from "../planning/plan.ts";
import type { ChangeOwner } from "../reach.ts";
import { readRequest, unreadable } from "../request.ts";
import { isPassing, type TargetReading, withoutAbsent } from "../targets.ts";
import { type Asked, askedOpen, confirmTtl, extendedOpen, openOf, type StoredOpen, unasked } from "./open.ts";
import { foundInPlace, isUnsent, outcomeOfJob } from "./outcome.ts";

export interface ExtendingTools extends Pick<PlanTools, "driver" | "platform"> {
  readonly store: Pick<Store, "changes" | "clock">;
  readonly jobs: ChangeJobs;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly reading: TargetReading;
  /** The author with the rights of today; undefined: they have none any more. */
  ownerOf(of: ChangeOwner): Promise<Caller | undefined>;
}

/** A timer is doubled up to this, so that a long pause is few jobs, and a service that is gone soon undone. */
const mostSeconds = 3_600;
/** About a day. */
const mostTimes = 50;

interface Waiting {
  readonly target: StoredChangeTarget;
  readonly open: StoredOpen;
}

interface Extension extends Waiting {
  readonly marks: string;
  readonly asked: Asked;
}

export function createExtending(tools: ExtendingTools) {
  const { store, jobs, inventory, ownerOf } = tools;
  const { changes, clock } = store;
  const { targetsOf, byDevice } = tools.reading;

  async function waitingOf({ id }: StoredChange): Promise<Waiting[]> {
    return (await targetsOf(id, { states: ["unconfirmed", "unknown"] })).flatMap((target) => {
      const open = openOf(target);
      return open === undefined ? [] : [{ target, open }];
    });
  }

  async function begin(change: StoredChange): Promise<void> {
    const { id, wave, step } = change;
    const all = await waitingOf(change);
    // Asked for by a node that ended before it could submit them.
    const left = all.flatMap(({ target, open }) => {
      const { asked, marks } = open;
      return asked === undefined || marks === undefined ? [] : [{ target, open, marks, asked }];
    });
    if (left.length > 0) return submit(change, left);
    const now = clock.wall();
    const soon = all.filter(({ open: { extendAt, seconds } }) =>
      // Those that would be next are taken along.
      extendAt === undefined ? false : extendAt - now <= seconds * 250,
    );
    const part = changeParts.write({
      ...{ phase: "extending", returns: false, number: wave, attempt: step + 1, from: null },
    });
    const snapshot = await inventory.snapshot();
    const owner = await ownerOf(change);
    const not: { readonly waiting: Waiting; readonly why: string }[] = [];
    const extensions: Extension[] = [];
    for (const waiting of soon) {
      const { target, open } = waiting;
      const found =
        owner === undefined
          ? `${change.submitter} has no rights any more`
          : extensionOf(open, snapshot.device(target.device), now);
      if (typeof found === "string") not.push({ waiting, why: found });
      else if (open.marks !== undefined)
        extensions.push({ ...waiting, marks: open.marks, asked: { seconds: found, part } });
    }
    if (not.length > 0) return give(change, not);
    const hasRoom = await jobs.changeRoom({});
    const end = extensions.findIndex(({ target, marks }) => !hasRoom(target.device, marks.length));
    const chosen = end === -1 ? extensions : extensions.slice(0, end);
    if (chosen.length === 0) return;
    const targets = chosen.map(
      ({ target: { position }, open, asked }): TargetMove => ({
        position,
        open: askedOpen(open, asked, now),
      }),
    );
    const event = { what: "extending", detail: devicesOf(chosen.length), by: null };
    if ((await changes.move({ id, step }, kept(change, targets), event)) !== true) return;
    await submit({ ...change, step: step + 1 }, chosen);
  }

  /** @returns for how long, or why not */
  function extensionOf(
    open: StoredOpen,
    device: { readonly driver: string | null; readonly platform: string | null } | undefined,
    now: number,
  ): number | string {
    const { driver: name = null, platform = null } = device ?? {};
    const limits =
      name === null ? undefined : tools.driver(name)?.holds?.({ platform, find: tools.platform });
    if (limits?.extends !== true)
      return `the driver ${name ?? "(none)"} cannot start a timer of ${platform ?? "no platform"} anew`;
    if (open.extended >= mostTimes) return `its timer has started anew ${mostTimes} times`;
    if (confirmTtl(open, now) === undefined) return "its timer ends too soon for another word";
    return Math.min(
      Math.max(limits.mostSeconds, open.seconds),
      Math.max(open.seconds, Math.min(2 * open.seconds, mostSeconds)),
    );
  }

  async function submit(change: StoredChange, extensions: readonly Extension[]): Promise<void> {
    const { id, step } = change;
    const now = clock.wall();
    const [first] = extensions;
    const ttls = extensions.map(({ open }) => confirmTtl(open, now, extensions.length) ?? 0);
    const owner = await ownerOf(change);
    const giveUp = (why: string) =>
      give(
        change,
        extensions.map((waiting) => ({ waiting, why })),
      );
    if (first === undefined) return;
    if (owner === undefined) return giveUp(`${change.submitter} has no rights any more`);
    const ttl = Math.min(...ttls);
    if (ttl === 0) return giveUp("its timer ends too soon for another word");
    const request = readRequest(change.request);
    if (request === undefined) throw new ServiceError("BadRequest", unreadable);
    const shared = withoutAbsent({
      ...{ driver_args: request.driver_args, ticket: request.ticket, note: request.note },
      ...{ label: change.name, ttl },
    });
    const devices = extensions.map(({ target: { device }, marks, asked: { seconds } }) => ({
      ...{ device, config: ["extend the push that waits"] },
      ends: { word: "extend", open: marks, seconds } as const,
    }));
    try {
      await jobs.changeBulk(
        { id, step, part: first.asked.part, work: { kind: "push", devices, shared } },
        owner,
      );
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "InUse") return;
      if (!(error instanceof ServiceError) || isPassing(error)) throw error;
      await giveUp(errorSentence(error));
    }
  }

  /** Their timers run on as they are. */
  async function give(
    change: StoredChange,
    not: readonly { readonly waiting: Waiting; readonly why: string }[],
  ): Promise<void> {
    const targets = not.map(({ waiting: { target, open } }) => {
      const { extendAt: _extendAt, ...rest } = open;
      return { position: target.position, open: unasked(rest) };
    });
    const [first] = not;
    const detail = `${devicesOf(not.length)}: ${first?.waiting.target.device}: ${first?.why}`;
    await changes.move(change, kept(change, targets), { what: "not_extended", detail, by: null });
  }

  async function settle(change: StoredChange, bulkId: string, part: string): Promise<void> {
    const asked = (await waitingOf(change)).filter(({ open }) => open.asked?.part === part);
    const ended = await byDevice(bulkId);
    const targets: TargetMove[] = [];
    const not: string[] = [];
    for (const { target, open } of asked) {
      const { position, device } = target;
      const job = ended.get(device.toLowerCase());
      const { state, reason } =
        job === undefined ? { state: "failed", reason: "the job is gone" } : outcomeOfJob(job);
      const found = job && foundInPlace(job);
      if (job !== undefined && state === "pushed") {
        targets.push({ position, open: extendedOpen(open, job) });
        continue;
      }
      not.push(`${device}: ${reason}`);
      if (found === "before") targets.push({ position, state: "failed", reason, touched: false, open: null });
      else if (found === "other") targets.push({ position, state: "diverged", reason, open: null });
      else targets.push({ position, open: unasked(open, job !== undefined && isUnsent(job)) });
    }
    const event =
      not.length === 0
        ? { what: "extended", detail: devicesOf(asked.length) }
        : { what: "not_extended", detail: `${devicesOf(not.length)}: ${not[0]}` };
    await changes.move(change, kept(change, targets), { ...event, by: null });
  }

  return { begin, settle };
}

/** A move of targets alone: whoever is at the phase of the change stays. */
const kept = ({ claimedBy }: StoredChange, targets: readonly TargetMove[]) => ({ claimedBy, targets });
