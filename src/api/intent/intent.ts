/** Intents, what configurations should be, and drift, how they differ from it: requests and records. */
import * as v from "valibot";
import { intentModes } from "../../base/intent-modes.ts";
import { members } from "../../base/json/objects.ts";
import { nameForm } from "../forms.ts";
import { engineName, templateFields, templateWord } from "../jobs/template-use.ts";
import { twinProof } from "../rehearsal/twin-proof.ts";
import { described, field, integer, moment, named, text, texts, type Unchanged } from "../schema.ts";

export const intentLimits = {
  /** Intents of an installation. */
  most: 100,
  sections: 100,
  patterns: 50,
  patternChars: 200,
  ignored: 200,
  /** Bytes of a request. */
  bytes: 256 * 1024,
  /** Characters of the text for one device. */
  textChars: 2 * 1024 * 1024,
  /** Different lines that are counted, and their characters. */
  lines: 100_000,
  lineChars: 16 * 1024 * 1024,
  /** Devices that are shown for one line. */
  firstDevices: 20,
  /** Fixes after which a person has to look. */
  rounds: 3,
  /** Seconds that a caller may wait for a run. */
  wait: 60,
} as const;

export const intentName = v.pipe(text, v.regex(...nameForm));
const pattern = v.pipe(
  text,
  v.trim(),
  v.nonEmpty("must not be empty"),
  v.maxLength(intentLimits.patternChars),
  v.regex(/^[^\n\r\0]*$/, "must be one line"),
);

const section = v.strictObject({
  name: described(intentName, "Name of the section, unique in the intent"),
  match: described(
    v.pipe(v.array(pattern), v.nonEmpty("must have a pattern"), v.maxLength(intentLimits.patterns)),
    "Lines that belong to it, with all below them: `*` is any text, ` > ` stands between the lines of a path, such as `router bgp * > neighbor *`. A line belongs to the first section that matches it, else to that of the line above",
  ),
  mode: v.optional(
    described(
      v.picklist(intentModes, `must be one of ${intentModes.join(", ")}`),
      "`exact`: these lines and no others; `contains`: these lines, and others may be there; `ordered`: exact, in this order; `ignore_extra`: blocks that the intent names are exact, others may be there; `absent`: no line may match",
    ),
    "exact",
  ),
});

/** The template of an intent: strict, because a misspelt member would be none. */
const rendering = v.strictObject({
  name: described(engineName, "Name of the engine"),
  template: described(v.pipe(text, v.nonEmpty("must not be empty")), templateWord),
  args: templateFields.args,
  templates: templateFields.templates,
  context: v.optional(
    described(
      v.nullable(members),
      "Context of the template, beside `device`, `group` and `vars` of each device",
    ),
  ),
});

const entries = {
  select: described(
    v.pipe(text, v.nonEmpty("must not be empty"), v.maxLength(4_096)),
    "Selector of the devices that it is for",
  ),
  text: described(
    field(v.pipe(text, v.maxLength(intentLimits.bytes))),
    "The configuration that they should have, the same for all: with all sections or some of them",
  ),
  rendering: described(field(rendering), "In place of `text`: renders it for each device"),
  sections: described(
    v.pipe(
      v.array(section),
      v.nonEmpty("must have a section"),
      v.maxLength(intentLimits.sections),
      v.check(
        (all) => new Set(all.map(({ name }) => name)).size === all.length,
        "must have names that differ",
      ),
    ),
    "What is compared, and how",
  ),
  ignore: v.optional(
    described(
      v.pipe(v.array(pattern), v.maxLength(intentLimits.ignored)),
      "Lines that are not compared: at any depth, or as a path",
    ),
    [],
  ),
};

/** Body of PUT /intent/{name}: strict. */
export const intentRequest = named(
  "IntentRequest",
  v.pipe(
    v.strictObject(entries),
    v.check(
      ({ text, rendering }) => (text ?? undefined) === undefined || !rendering,
      "has `text` or `rendering`, not both",
    ),
  ),
);
export type IntentRequest = v.InferOutput<typeof intentRequest>;

export const intentRecord = named(
  "Intent",
  v.object({
    name: text,
    select: text,
    text: described(v.nullable(text), "With secrets as marks"),
    rendering: described(v.nullable(v.record(text, v.unknown())), "With secrets masked"),
    sections: v.array(v.object({ name: text, match: texts, mode: v.picklist(intentModes) })),
    ignore: texts,
    revision: described(integer, "Counts its versions; also in `ETag`"),
    changed_at: moment,
  }),
);
export type IntentRecord = Unchanged<v.InferOutput<typeof intentRecord>>;

export const removedIntent = v.object({ name: text });

export const driftStates = ["compliant", "drifted", "unknown", "intent_error"] as const;
export type DriftState = (typeof driftStates)[number];

const names = v.pipe(v.array(intentName), v.nonEmpty("must not be empty"), v.maxLength(intentLimits.most));

/** Body of POST /drift/run. */
export const driftRun = named(
  "DriftRun",
  v.strictObject({
    select: described(field(text), "Devices; default: all that the intents are for"),
    intents: described(field(names), "Names of intents; default: all"),
  }),
);

const counts = v.object({
  missing: described(integer, "Lines that should be there"),
  extra: described(integer, "Lines that should not"),
  differs: described(integer, "Lines with another value, or in another place where their order counts"),
  unverified: described(integer, "Lines with a secret in a salted form, which cannot be compared"),
});

const states = v.object(v.entriesFromList(driftStates, integer));

/** As in GET /drift/summary and POST /drift/run. */
export const driftSummary = named(
  "DriftSummary",
  v.object({
    waiting: described(integer, "Devices that are still to be compared"),
    pairs: described(integer, "Pairs of a device and an intent that is for it"),
    states: described(states, "The pairs by state"),
  }),
);
export type DriftSummary = Unchanged<v.InferOutput<typeof driftSummary>>;

const pair = {
  device: text,
  intent: text,
  state: described(
    v.picklist(driftStates),
    "`unknown`: nothing can be said, see `reason`; `intent_error`: the intent cannot be used for it",
  ),
  reason: described(v.nullable(text), "Why it is `unknown` or `intent_error`"),
  version: described(v.nullable(integer), "The version that was compared"),
  read_at: described(v.nullable(moment), "When the device was last read well"),
  checked_at: described(v.nullable(moment), "When it was last compared"),
  since: described(v.nullable(moment), "Since when it drifts"),
  rounds: described(integer, "Fixes that were pushed and left it drifted"),
  needs_person: described(
    v.boolean(),
    `After ${intentLimits.rounds} fixes that did not help no other one is made before the intent is changed`,
  ),
};

const sectionRecord = v.object({ name: text, state: v.picklist(driftStates), ...counts.entries });

/** A row of the matrix: as in GET /drift. */
export const driftRecord = named("Drift", v.object({ ...pair, sections: v.array(sectionRecord) }));
export type DriftRecord = Unchanged<v.InferOutput<typeof driftRecord>>;

export const driftKinds = ["missing", "extra", "differs", "moved", "unverified"] as const;

const change = v.object({
  kind: described(
    v.picklist(driftKinds),
    "`missing`: it should be there; `extra`: it should not; `moved`: in another place; `unverified`: a salted secret",
  ),
  path: described(texts, "The lines that it stands below"),
  text: described(text, "The line, as it should be; of an extra one, as it is. With secrets as marks"),
  was: v.exactOptional(described(text, "As it is, if it differs")),
});

/** As in GET /drift/device/{name}, for one intent. */
export const driftDetail = named(
  "DriftDetail",
  v.object({
    ...pair,
    sections: v.array(
      v.object({
        ...sectionRecord.entries,
        changes: v.array(change),
        cut: v.exactOptional(described(v.boolean(), "`changes` has only the first of them")),
        lines: described(
          text,
          "The same as text: `-` is there, `+` should be there, below the lines of their block",
        ),
      }),
    ),
    unmatched: described(integer, "Lines of the intent that belong to no section: they are not compared"),
    fix: described(
      v.nullable(
        v.object({
          lines: described(texts, "What POST /drift/fix would send, with secrets as marks"),
          proven: described(
            v.boolean(),
            "Whether the lines, applied to the configuration, leave what the intent wants and change nothing else",
          ),
          risks: described(texts, "What to look at before they are sent"),
          twin: described(
            v.exactOptional(twinProof),
            "What a twin has shown of the lines, which is part of the proof; absent: the configuration is too long to be played",
          ),
        }),
      ),
      "Null: nothing drifts, or there is no way to compute lines: see `why`",
    ),
    why: v.exactOptional(described(text, "Why there are no lines")),
  }),
);
export type DriftDetail = Unchanged<v.InferOutput<typeof driftDetail>>;

/** As in GET /drift/line. */
export const driftLine = named(
  "DriftLine",
  v.object({
    intent: text,
    section: text,
    kind: v.picklist(driftKinds),
    line: described(text, "With the lines that it stands below, outermost first"),
    devices: described(integer, "How many devices have the difference"),
    first_devices: described(texts, `The first of them, at most ${intentLimits.firstDevices}`),
  }),
);
export type DriftLineRecord = Unchanged<v.InferOutput<typeof driftLine>>;

/** What a change mends: member `fix` of a change, and part of POST /drift/fix. */
export const fixEntries = {
  intents: described(names, "Intents that the devices get back to"),
  sections: described(
    field(v.pipe(v.array(intentName), v.nonEmpty("must not be empty"), v.maxLength(intentLimits.sections))),
    "Only these sections; default: all",
  ),
  unproven: described(
    field(v.boolean()),
    "`true`: also lines of which it is not proven that they leave what the intent wants",
  ),
};
export type FixRequest = v.InferOutput<v.StrictObjectSchema<typeof fixEntries, undefined>>;
