/** Changes: a push to many devices that is planned, voted on, rolled out in waves and returned: schemas. */
import * as v from "valibot";
import { words } from "../forms.ts";
import { beginning } from "../jobs/beginning.ts";
import { checks } from "../jobs/checks.ts";
import { submitter } from "../jobs/job.ts";
import { configField, executeRequest, requestWords } from "../jobs/request.ts";
import { templateUse } from "../jobs/template-use.ts";
import { described, field, integer, moment, named, text, texts, type Unchanged } from "../schema.ts";
import { changeDefaults } from "./change-defaults.ts";
import { gateLimits, gatesOfStrategy, judgement, sentinel } from "./change-gates.ts";
import { changeOrigin } from "./change-policy.ts";
import { changeRehearsal, targetRehearsal } from "./change-rehearsal.ts";
import { fixField, restoreField } from "./change-work.ts";

export const changeLimits = {
  devices: 10_000,
  waves: 50,
  /** Changes that have not ended, and all that are kept. */
  open: 500,
  most: 10_000,
  /** Of these, what one key may have proposed as an agent. */
  proposed: { open: 50, most: 1_000 },
  /** Steps by persons and keys: up to the first, edits, plans and votes are taken, up to the second all else. */
  said: { planning: 500, all: 1_000 },
  /** Bytes of the request. */
  maxBytes: 1024 * 1024,
  /** Characters of the lines of a device, and of all different lines of a change. */
  lineChars: 1024 * 1024,
  totalChars: 64 * 1024 * 1024,
  /** Characters of lines in one answer. */
  shownChars: 4 * 1024 * 1024,
  /** Steps in a report, and characters of the lines of a group there. */
  reportedSteps: 1_000,
  reportedChars: 64 * 1024,
  /** Devices of a group that are named. */
  firstDevices: 20,
} as const;

/** Of devices, in a warning and in the description of their number. */
export const cannotReturn = "cannot be returned by the service";

export const changeStates = [
  "draft",
  "planning",
  "waiting_approval",
  "approved",
  "running",
  "paused",
  "stopping",
  "stopped",
  "returning",
  "done",
  "returned",
  "partly_returned",
  "needs_person",
  "rejected",
  "expired",
  "cancelled",
] as const;
export type ChangeState = (typeof changeStates)[number];

/** Those of changes that have not ended. */
export const openStates: readonly ChangeState[] = [
  ...["draft", "planning", "waiting_approval", "approved", "running", "paused"],
  ...["stopping", "returning"],
] as const;

/** What listeners are told of changes, with what each means. One that leads to a state has its name. */
export const changeEvents = {
  "change.waiting_approval": "a change is planned and wants votes",
  "change.approved": "it has enough votes, or needs none",
  "change.rejected": "a person voted against it",
  "change.expired": "its plan did not start in time",
  "change.cancelled": "it was cancelled before it started",
  "change.started": "it was started; without gates its first wave begins with it",
  "change.wave": "a wave begins, other than with `change.started`",
  "change.paused": "it waits for a person, with the reason",
  "change.resumed": "it goes on",
  "change.stopping": "it stops, with the reason: nothing more is begun",
  "change.stopped": "it has stopped, and its devices keep what they have",
  "change.returning": "its devices get back what they had",
  "change.returned": "all its devices have what they had",
  "change.partly_returned": "some of its devices were not returned",
  "change.needs_person": "none of its devices was returned, or it cannot go on by itself",
  "change.done": "all its waves are done",
} as const;
export type ChangeEventName = keyof typeof changeEvents;
// Object.keys loses the names.
export const changeEventNames = Object.keys(changeEvents) as ChangeEventName[];

/** Its devices are in use. */
export const workingChanges: readonly ChangeState[] = ["running", "paused", "stopping", "returning"];

/** Words that move a change on, and the states that each leads on from. */
export const changeWords = {
  start: ["approved"],
  pause: ["running"],
  resume: ["paused"],
  stop: ["running", "paused"],
  return: ["done", "stopped", "partly_returned", "needs_person"],
  cancel: ["draft", "planning", "waiting_approval", "approved"],
} as const satisfies Readonly<Record<string, readonly ChangeState[]>>;
export type ChangeWord = keyof typeof changeWords;
/** In these it has a plan that has not begun. */
export const rehearsableChanges: readonly ChangeState[] = ["waiting_approval", "approved"];
/** In these it can be edited and planned. */
export const editableChanges: readonly ChangeState[] = [
  "draft",
  "planning",
  "waiting_approval",
  "approved",
  "expired",
  "rejected",
];

/**
 * What a wave, or the return, does at the moment. `left`: what the push left on the devices is read. `confirming`,
 * `cancelling`: pushes that wait in their devices are ended; `proving`: those of which it is not known have ended by
 * themselves, and are read.
 */
export const changePhases = [
  "reading",
  "pushing",
  "left",
  "soaking",
  "judging",
  "confirming",
  "cancelling",
  "proving",
  "gate",
] as const;
export type ChangePhase = (typeof changePhases)[number];
/** What bulks do: of a phase, or beside it, where pushes wait in their devices and their timers start anew. */
export const bulkPhases = [...changePhases, "extending"] as const;
export type BulkPhase = (typeof bulkPhases)[number];

export const verdicts = ["approve", "reject"] as const;
export type Verdict = (typeof verdicts)[number];

export const targetStates = [
  "waiting",
  "pushing",
  "pushed",
  "unconfirmed",
  "failed",
  "unreachable",
  "unknown",
  "diverged",
  "skipped",
  "returning",
  "returned",
  "not_returned",
] as const;
export type TargetState = (typeof targetStates)[number];

const share = v.pipe(
  v.string(),
  v.regex(/^(?:(?:100|[1-9]?\d)%|\d{1,5})$/, "must be a number, or a percentage such as 25%"),
);
const countOrShare = (least: number) =>
  v.union(
    [v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(changeLimits.devices)), share],
    "must be a number, or a percentage such as 25%",
  );
const limit = v.strictObject({
  wave: described(field(countOrShare(0)), "At most so many in a wave"),
  total: described(field(countOrShare(0)), "At most so many in all waves"),
});

const strategy = v.strictObject({
  canary: described(
    field(v.union([v.pipe(v.number(), v.integer(), v.minValue(0)), v.pipe(texts, v.maxLength(100))])),
    `The first wave: a number of devices (default ${changeDefaults.canary}), or their names; 0: none`,
  ),
  waves: described(
    field(v.pipe(v.array(countOrShare(1)), v.nonEmpty(), v.maxLength(changeLimits.waves))),
    `Sizes of the waves after it: a number, or a percentage of all devices, rounded up (default \`${JSON.stringify(changeDefaults.waves)}\`); what is left is a last wave`,
  ),
  spread: described(
    field(v.picklist(["site", "role", "group"])),
    "Devices of each wave are taken from all of these in turn",
  ),
  apart: described(
    field(v.pipe(v.string(), v.regex(/^(?:site|role|group|vars\.[A-Za-z0-9_.-]{1,100})$/))),
    "A wave has at most one device with each value of this field: `site`, `role`, `group`, `vars.<name>`",
  ),
  soak_seconds: described(
    field(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400))),
    `Wait after each wave (default ${changeDefaults.soak_seconds}); after the last one only if there are gates or a \`hold\``,
  ),
  gate: described(
    field(v.picklist(["auto", "approval"])),
    `What begins the next wave: \`${changeDefaults.gate}\` (default), or a person's word after each`,
  ),
  ...gatesOfStrategy,
  concurrency: described(
    field(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000))),
    `Devices of a wave at the same time (default ${changeDefaults.concurrency})`,
  ),
  limits: described(
    field(v.strictObject({ failed: field(limit), unreachable: field(limit), unknown: field(limit) })),
    `Beyond them the change stops. Default: failed ${changeDefaults.limits.failed.total}, unreachable ${changeDefaults.limits.unreachable.total} in all, unknown ${changeDefaults.limits.unknown.total}`,
  ),
});
export type ChangeStrategy = v.InferOutput<typeof strategy>;

/** As the label of the bulks of a change. */
const nameText = v.pipe(words(200), v.trim(), v.nonEmpty("must not be empty"));

/** Body of POST /change and PUT /change/{name}: strict, because a misspelt limit would be none. */
export const changeRequest = named(
  "ChangeRequest",
  v.strictObject({
    name: described(nameText, "What the change is for"),
    ticket: executeRequest.entries.ticket,
    note: executeRequest.entries.note,
    select: described(field(v.string()), requestWords.select),
    devices: described(
      field(
        v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.nonEmpty(), v.maxLength(changeLimits.devices)),
      ),
      "Names of inventory devices, in place of `select` or in addition to it",
    ),
    config: described(field(configField), "Lines, or with `rendering` its context; an edit may leave it out"),
    restore: restoreField,
    fix: fixField,
    rendering: described(field(templateUse), "Renders the lines of each device, once, when it is planned"),
    driver_args: executeRequest.entries.driver_args,
    ttl: executeRequest.entries.ttl,
    checks: described(field(checks), "Checks on each device, before and after its push"),
    sentinels: described(
      field(v.pipe(v.array(sentinel), v.maxLength(gateLimits.sentinels))),
      "Checks on devices that get no lines, such as neighbours, before the first wave and after each",
    ),
    strategy: described(field(strategy), "Waves, limits and gates"),
    on_stop: described(
      field(v.picklist(["return", "keep"])),
      `When the change stops: devices get back what they had (\`${changeDefaults.on_stop}\`, default), or keep what they got`,
    ),
    hold: described(
      field(v.picklist(["device", "wave", "change"])),
      `What makes a push permanent: its own checks (\`device\`), the gate of its wave (\`wave\`), or that of the last wave (\`change\`): until then devices with a timer undo it by themselves. Default: \`${changeDefaults.hold}\``,
    ),
    approvals: described(
      field(
        v.strictObject({
          count: described(
            field(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20))),
            `Votes of persons that it needs (default ${changeDefaults.approvals.count})`,
          ),
          not_author: described(
            field(v.boolean()),
            `Whether the author's own vote does not count (default ${changeDefaults.approvals.not_author})`,
          ),
          hours: described(
            field(v.pipe(v.number(), v.minValue(1), v.maxValue(24 * 90))),
            `A plan that has not started after that many hours expires (default ${changeDefaults.approvals.hours})`,
          ),
        }),
      ),
      "Who must agree",
    ),
    not_before: described(field(beginning), "ISO 8601 with offset: earliest start"),
  }),
);
export type ChangeRequest = v.InferOutput<typeof changeRequest>;

/** Body of POST /change/{name}/vote. */
export const voteRequest = named(
  "VoteRequest",
  v.strictObject({
    revision: described(integer, "The revision that was read"),
    hash: described(text, "Its hash: the vote counts for exactly that plan"),
    verdict: described(v.picklist(verdicts), "The vote"),
    note: described(field(v.pipe(v.string(), v.maxLength(2_000))), "Why"),
  }),
);

/** Body of the words that move a change on. */
export const changeWord = v.strictObject({
  revision: described(field(integer), "Only if it still has this revision"),
  note: described(field(v.pipe(v.string(), v.maxLength(2_000))), "Why"),
});

const targetCounts = v.object(v.entriesFromList(targetStates, integer));
export type TargetCounts = v.InferOutput<typeof targetCounts>;

export const changeVote = v.object({
  person: text,
  verdict: v.picklist(verdicts),
  revision: integer,
  hash: described(v.nullable(text), "Of the plan that it is for"),
  note: v.nullable(text),
  at: moment,
});

export const changeStep = named(
  "ChangeStep",
  v.object({
    n: integer,
    at: moment,
    what: described(
      text,
      "What happened: `planned`, `voted`, `started`, `wave`, `paused`, `stopped` and the like",
    ),
    who: described(v.nullable(text), "Who did it; null: the service"),
    detail: v.nullable(text),
  }),
);
export type StepRecord = Unchanged<v.InferOutput<typeof changeStep>>;

/** A step in the stream of all changes. */
export const changeNews = named(
  "ChangeNews",
  v.object({
    id: described(text, "Of the change"),
    name: text,
    step: described(integer, "Its step, as `n` in `GET /change/{name}/step`"),
    at: moment,
    what: changeStep.entries.what,
    who: changeStep.entries.who,
    detail: changeStep.entries.detail,
    event: described(
      v.nullable(v.picklist(changeEventNames)),
      "The event that webhooks are told of; null: none",
    ),
    state: described(v.picklist(changeStates), "What the step led to"),
    wave: described(integer, "The wave then; 0: none"),
  }),
);
export type ChangeNewsRecord = Unchanged<v.InferOutput<typeof changeNews>>;

const entries = {
  id: text,
  name: text,
  origin: v.exactOptional(changeOrigin),
  run: v.exactOptional(
    described(v.object({ recipe: text, id: text }), "Of the origin `recipe`: the run that drafted it"),
  ),
  state: v.picklist(changeStates),
  reason: described(v.nullable(text), "Why it is in that state"),
  revision: described(integer, "Counts the plans and edits: each is without votes"),
  hash: described(v.nullable(text), "Of the plan; null: not planned"),
  submitted_by: submitter,
  ticket: v.exactOptional(text),
  created_at: moment,
  started_at: v.nullable(moment),
  ended_at: v.nullable(moment),
  expires_at: described(v.nullable(moment), "When a plan that has not started expires"),
  wave: described(integer, "The wave that runs, or ran last; 0: none"),
  waves: described(v.array(integer), "Number of devices of each wave"),
  phase: v.nullable(v.picklist(changePhases)),
  due_at: described(v.nullable(moment), "When it goes on by itself"),
  approvals: v.object({ needed: integer, given: integer }),
  targets: described(targetCounts, "Devices by state"),
  waits_for_you: described(
    v.boolean(),
    "Whether the caller's word is next: a vote that counts, a draft or an approved change of the caller's, a paused one",
  ),
};

/** As in GET /change. */
export const changeRecord = named("Change", v.object(entries));
export type ChangeRecord = Unchanged<v.InferOutput<typeof changeRecord>>;

const firstDevices = described(texts, `The first of them, at most ${changeLimits.firstDevices}`);
const lineGroup = v.object({
  sha256: described(text, "Of the lines as they are sent"),
  lines: described(text, "With secrets as marks; those of `restore` only with the right `history`"),
  cut: v.exactOptional(
    described(v.boolean(), "`lines` has only the first of them: an answer has at most 4 MiB of lines"),
  ),
  devices: described(integer, "How many devices get them"),
  first_devices: firstDevices,
});
const notReturnable = v.object({ reason: text, devices: integer, first_devices: firstDevices });

const detailEntries = {
  ...entries,
  request: described(v.record(text, v.unknown()), "As it was written, with secrets masked"),
  groups: described(
    v.array(lineGroup),
    "Devices with equal lines, the most first; at most 100. Before there is a plan: the lines that it asks for, and the devices that it would choose now",
  ),
  votes: v.array(changeVote),
  by_wave: described(v.array(targetCounts), "Devices of each wave by state"),
  not_returnable: described(integer, `Devices that ${cannotReturn}`),
  not_returnable_because: described(
    v.array(notReturnable),
    "The same by reason, the most first; at most 100",
  ),
  warnings: described(texts, "What the plan found"),
  sentinels: described(texts, "Devices whose checks judge each wave"),
  judged: described(v.nullable(judgement), "What the gates said last; null: nothing yet"),
  rehearsal: described(v.nullable(changeRehearsal), "What is known of its lines; null: never rehearsed"),
  bulks: described(
    v.array(
      v.object({
        number: described(integer, "Of the wave, or of the attempt to return"),
        phase: v.picklist(bulkPhases),
        returns: v.boolean(),
        bulk_id: text,
      }),
    ),
    "The bulks that it submitted",
  ),
};

/** As in GET /change/{name}. */
export const changeDetail = named("ChangeDetail", v.object(detailEntries));
export type ChangeDetail = Unchanged<v.InferOutput<typeof changeDetail>>;

/** As in GET /change/{name}/target. */
export const changeTarget = named(
  "ChangeTarget",
  v.object({
    device: text,
    host: text,
    wave: integer,
    state: v.picklist(targetStates),
    reason: v.nullable(text),
    sha256: described(text, "Of its lines"),
    before_version: described(v.nullable(integer), "The configuration version that the plan is based on"),
    after_version: described(v.nullable(integer), "The one that the push left"),
    returnable: described(v.boolean(), "Whether the service can return it"),
    no_hold: v.exactOptional(
      described(
        text,
        "With `hold: wave` or `change`: why its push does not wait, but is confirmed by its own checks",
      ),
    ),
    job_id: v.nullable(text),
    return_job_id: v.nullable(text),
    rehearsal: v.exactOptional(described(targetRehearsal, "What is known of its lines, by this plan")),
  }),
);
export type ChangeTarget = Unchanged<v.InferOutput<typeof changeTarget>>;

/** As in GET /change/{name}/target/{item}/difference. */
const reportedLimit = v.object({ wave: v.nullable(integer), total: v.nullable(integer) });

const reported = {
  ...v.omit(v.object(detailEntries), ["bulks", "groups", "by_wave", "waits_for_you"]).entries,
  reported_at: moment,
  groups: described(
    v.array(
      v.object({ ...lineGroup.entries, cut: described(v.boolean(), "`lines` has only the first 64 KiB") }),
    ),
    "Devices with equal lines, the most first; at most 100",
  ),
  wave_results: v.array(
    v.object({
      number: integer,
      devices: integer,
      began_at: v.nullable(moment),
      targets: described(targetCounts, "Its devices by state"),
    }),
  ),
  limits: described(
    v.nullable(v.object({ failed: reportedLimit, unreachable: reportedLimit, unknown: reportedLimit })),
    "At most so many devices; null: no limit",
  ),
  returns: described(integer, "Attempts to return devices that sent something"),
  ledger: described(
    v.nullable(v.object({ count: integer, first: integer, last: integer })),
    "Entries on its pushes and returns: how many, and the first and last `seq`",
  ),
  steps: described(v.array(changeStep), "What happened, oldest first; at most 1,000"),
  steps_cut: v.boolean(),
};

const changeReportHead = v.object(reported);
/** The report without its devices, which may be many. */
export type ChangeReport = Unchanged<v.InferOutput<typeof changeReportHead>>;

/** As in GET /change/{name}/report. */
export const changeReport = named(
  "ChangeReport",
  v.object({
    ...reported,
    device_results: described(v.array(changeTarget), "All devices, in the order of the waves"),
  }),
);
