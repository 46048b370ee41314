/** What a notice tells: the events that follow from it, with their data. */

import * as v from "valibot";
import { ownTakeTag } from "../api/history/history.ts";
import type { BulkDetail } from "../api/jobs/bulk.ts";
import { signedCheckpoint } from "../api/ledger/ledger.ts";
import { proposalHours } from "../api/recipes/recipe.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import type { ChangeNews, ChangeTold } from "../changes/port.ts";
import type { Jobs } from "../jobs/port.ts";
import {
  type Notice,
  type Store,
  type StoredFiring,
  type StoredSchedule,
  singleNoticeKinds,
} from "../store/port.ts";
import type { Told } from "./forms.ts";

export interface ToldTools {
  readonly store: Pick<Store, "bulks" | "recipes" | "schedules" | "webhooks">;
  readonly jobs: Pick<Jobs, "bulkRecord">;
  readonly changeNews: ChangeNews;
  readonly iso: (ms: number) => string;
}

export interface Telling {
  readonly events: readonly Told[];
  /** The key whose work it is; undefined: of nobody, and told only to webhooks without limits. */
  readonly owner?: string | undefined;
  /** Who of those with limits is told, in place of the owner. */
  isVisibleTo?(caller: Caller): Promise<boolean>;
  /** Only this webhook is told. */
  readonly only?: string;
  readonly failures?: { readonly scheduleId: string; readonly count: number };
}

export type SingleNotice = Notice & { readonly kind: (typeof singleNoticeKinds)[number] };

export function isSingle(notice: Notice): notice is SingleNotice {
  return singleNoticeKinds.some((kind) => kind === notice.kind);
}

/** Reads on behalf of the service; each webhook is then told only what its owner may see. */
const service: Caller = { keyId: "", name: "webhooks", scope: "admin", hosts: [], from: null };
const nothing: Telling = { events: [] };
const shownFailures = 3;
const messageChars = 500;

export function createTelling({ store, jobs, changeNews, iso }: ToldTools) {
  async function ofBulk(id: string): Promise<Telling> {
    const stored = await store.bulks.find(id);
    // Deleted since: nothing is known of it any more.
    if (stored === undefined) return nothing;
    const bulk = await recordOf(id);
    // Taken after a push or a message of a device: told by what was read, if it is new.
    if (bulk === undefined || bulk.tags?.includes(ownTakeTag) === true) return nothing;
    const ended: Told = {
      event: "bulk.ended",
      isBad: bulk.counts.failed + bulk.counts.cancelled > 0,
      data: { bulk },
      values: valuesOfBulk(bulk),
      page: `bulk/${id}`,
    };
    const { kind, name } = bulk.submitted_by;
    const schedule =
      kind === "schedule" ? await store.schedules.findOfBulk(stored.caller, id, name) : undefined;
    if (schedule === undefined) return { events: [ended], owner: stored.caller };
    const firings = await store.schedules.firings(schedule.id, searched);
    const firing =
      firings.find(({ bulkId }) => bulkId === id) ?? firings.find(({ status }) => status === "submitting");
    const after = await ofSchedule(schedule, {
      isBad: ended.isBad === true,
      reason: outcomeOf(bulk),
      firing,
      bulk,
    });
    return { ...after, events: [ended, ...after.events] };
  }

  async function recordOf(id: string): Promise<BulkDetail | undefined> {
    try {
      const record = await jobs.bulkRecord(id, service);
      const first_failures = record.first_failures.map(({ error, ...failure }) => ({
        ...failure,
        error: { ...error, message: error.message.slice(0, messageChars) },
      }));
      return { ...record, first_failures };
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "NotFound") return undefined;
      throw error;
    }
  }

  interface Outcome {
    readonly isBad: boolean;
    readonly reason: string;
    readonly firing?: StoredFiring | undefined;
    readonly bulk?: BulkDetail;
  }

  async function ofSchedule(
    { id, name, owner, state }: StoredSchedule,
    { isBad, reason, firing, bulk }: Outcome,
  ): Promise<Telling> {
    const before = await store.webhooks.failuresOf(id);
    const count = isBad ? before + 1 : 0;
    const telling = { owner, failures: { scheduleId: id, count } };
    if (!isBad && before === 0) return { ...telling, events: [] };
    const jobId = bulk?.first_failures[0]?.id;
    const due = firing === undefined ? undefined : iso(firing.dueAt);
    const schedule = {
      ...{ id, name, state, reason, failures: isBad ? count : before },
      ...(due === undefined ? {} : { due_at: due }),
      ...(bulk === undefined ? {} : { bulk_id: bulk.id }),
      ...(jobId === undefined ? {} : { job_id: jobId }),
    };
    const told: Told = {
      event: isBad ? "schedule.failed" : "schedule.recovered",
      data: { schedule },
      values: {
        ...{ name, reason, bulk: bulk?.id ?? "", due: due ?? "" },
        failures: isBad ? String(count) : "",
      },
      page: `schedule/${id}`,
    };
    return { ...telling, events: [told] };
  }

  return async ({ kind, subject, detail }: SingleNotice): Promise<Telling> => {
    switch (kind) {
      case "bulk.ended":
        return ofBulk(subject);
      case "schedule.fired": {
        const schedule = await store.schedules.find(subject);
        if (schedule === undefined) return nothing;
        const firings = await store.schedules.firings(subject, searched);
        const firing = firings.find(({ dueAt }) => String(dueAt) === detail);
        if (firing === undefined) return nothing;
        const isBad = firing.status !== "done";
        return ofSchedule(schedule, { isBad, reason: firing.reason ?? firing.status, firing });
      }
      case "schedule.stopped": {
        const schedule = await store.schedules.find(subject);
        if (schedule === undefined) return nothing;
        return ofSchedule(schedule, { isBad: true, reason: `it was stopped: ${detail ?? ""}` });
      }
      case "disk.low": {
        const sentence = detail ?? "";
        const values = { name: subject, sentence };
        return { events: [{ event: kind, data: { disk: { node: subject, reason: sentence } }, values }] };
      }
      case "ledger.checkpoint": {
        const signed = v.parse(signedCheckpoint, JSON.parse(detail ?? ""));
        const { seq, hash, installation, counts } = signed.checkpoint;
        const sum = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
        const values = {
          ...{ seq: String(seq), hash, installation, counts: sum.join(", ") },
          signature: signed.signature,
        };
        return { events: [{ event: kind, data: { ledger: signed }, values, page: "ledger" }] };
      }
      case "break_glass.used": {
        const what = detail ?? "";
        const values = { name: subject, what };
        return { events: [{ event: kind, data: { break_glass: { key: subject, what } }, values }] };
      }
      case "change.moved": {
        const told = await changeNews.read(Number(detail));
        return told === undefined ? nothing : ofChange(told);
      }
      case "recipe.proposed": {
        const stored = await store.recipes.run(subject);
        // Decided or expired since.
        if (stored?.state !== "proposed") return nothing;
        const { id, recipe, version, ticket, proposedBy } = stored;
        const until = iso(stored.createdAt + proposalHours * 3_600_000);
        // What the agent says and which values it gives is left to those who decide.
        const run = { id, recipe, version, ticket, proposed_by: proposedBy, expires_at: until };
        const values = { name: recipe, by: proposedBy ?? "", ticket: ticket ?? "", until };
        const told: Told = { event: kind, data: { run }, values, page: `recipe/${recipe}/run/${id}` };
        return { events: [told], owner: stored.holder };
      }
      case "webhook.test":
        return { only: subject, events: [{ event: kind, data: {}, values: { name: subject } }] };
    }
  };
}

function ofChange({ record, author, waves, ticket, isVisibleTo, ...more }: ChangeTold): Telling {
  const { id, name, event, who, detail, wave } = record;
  const devices = waves.reduce((sum, count) => sum + count, 0);
  const { needed, given } = more.approvals;
  const told: Told = {
    event,
    data: {
      change: {
        ...{ ...record, ...more, submitted_by: author, devices, waves },
        ...(ticket === null ? {} : { ticket }),
      },
    },
    values: {
      name,
      // Votes are in it, and what the plan has is in other facts.
      reason: event === "change.waiting_approval" ? "" : (detail ?? ""),
      ticket: ticket ?? "",
      by: `${author.name} (${author.kind})`,
      who: who ?? "",
      devices: devices === 0 ? "" : String(devices),
      waves: waves.join(", "),
      wave: wave === 0 ? "" : `${wave} of ${waves.length}`,
      votes: needed === 0 ? "none is needed" : `${given} of ${needed}`,
    },
    page: `change/${id}`,
  };
  return { events: [told], isVisibleTo };
}

/** All firings that are kept. */
const searched = 100;

function outcomeOf({ counts, total, error_types }: BulkDetail): string {
  const parts = (["finished", "failed", "cancelled"] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`);
  const types = Object.entries(error_types).map(([type, count]) => `${type} ${count}`);
  const of = total === 1 ? "1 device" : `${total} devices`;
  return `${of}: ${parts.join(", ")}${types.length === 0 ? "" : ` (${types.join(", ")})`}`;
}

function valuesOfBulk(bulk: BulkDetail): Told["values"] {
  const { id, label, operation, driver, dry_run, submitted_by, ticket, error_types, first_failures } = bulk;
  const failures = first_failures.slice(0, shownFailures).map(({ device, host, error }) => {
    const [line = ""] = error.message.split("\n");
    return `${device ?? host}: ${error.type}: ${line}`;
  });
  return {
    name: label ?? id,
    outcome: outcomeOf({ ...bulk, error_types: {} }),
    work: `${operation}, ${driver}${dry_run === true ? ", dry run" : ""}`,
    errors: Object.entries(error_types)
      .map(([type, count]) => `${type} ${count}`)
      .join(", "),
    failures: failures.join("; "),
    by: `${submitted_by.name} (${submitted_by.kind})`,
    ticket: ticket ?? "",
    stopped: bulk.stopped_because ?? "",
  };
}
