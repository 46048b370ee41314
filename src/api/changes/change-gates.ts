/** Gates of a change, judged before its first wave and after each: checks on other devices, and questions to servers. */
import * as v from "valibot";
import { check, maxChecks } from "../jobs/checks.ts";
import { described, field, integer, moment, named, text, type Unchanged } from "../schema.ts";
import { changeDefaults } from "./change-defaults.ts";

export const gateLimits = {
  /** Entries of `sentinels`, and their devices in all. */
  sentinels: 20,
  devices: 200,
  questions: 10,
  /** Bytes of an answer, and of a body. */
  answerBytes: 1024 * 1024,
  bodyChars: 64 * 1024,
} as const;

/** `inconclusive`: whether it holds is not known. */
export const gateVerdict = v.picklist(["passed", "failed", "inconclusive"]);
export type GateVerdict = v.InferOutput<typeof gateVerdict>;

export const sentinel = named(
  "ChangeSentinel",
  v.strictObject({
    select: described(field(v.string()), "Selector of inventory devices"),
    devices: described(
      field(v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.nonEmpty(), v.maxLength(gateLimits.devices))),
      "Names of inventory devices, in place of `select` or in addition to it",
    ),
    checks: described(
      v.pipe(v.array(check), v.nonEmpty("must not be empty"), v.maxLength(maxChecks)),
      "Checks, as in `checks.after`; those that compare do so with the value before the first wave",
    ),
  }),
);
export type ChangeSentinel = v.InferOutput<typeof sentinel>;

const httpUrl = v.pipe(
  v.string(),
  v.maxLength(2_048),
  v.url("must be a URL"),
  v.regex(/^https?:\/\//i, "must begin with http:// or https://"),
);
const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "is not a header name"),
  v.check(
    (name) => !/^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer)$/i.test(name),
    "is set by the service",
  ),
);
const headerValue = v.pipe(
  v.string(),
  v.maxLength(8_192),
  v.regex(/^[^\r\n\0]*$/, "must not hold line breaks"),
);

export const question = named(
  "ChangeQuestion",
  v.strictObject({
    name: described(
      field(v.pipe(v.string(), v.trim(), v.nonEmpty("must not be empty"), v.maxLength(100))),
      "What it is called in the verdict (default: its number)",
    ),
    url: described(httpUrl, "Where it is asked. Redirects are not followed"),
    method: described(field(v.picklist(["GET", "POST"])), "Default: GET, or POST with a `body`"),
    headers: described(
      field(
        v.pipe(
          v.record(headerName, headerValue),
          v.check((headers) => Object.keys(headers).length <= 20, "at most 20 headers"),
        ),
      ),
      "Headers; their values are shown masked",
    ),
    body: described(
      field(
        v.union(
          [v.pipe(v.string(), v.maxLength(gateLimits.bodyChars)), v.record(v.string(), v.unknown())],
          "must be a text or an object",
        ),
      ),
      "A text, or an object that is sent as JSON",
    ),
    expression: described(
      v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(4_096)),
      "JSONata over `{status, body}`: `true` passes, `false` fails, anything else is inconclusive. `body` is a text if the answer is not JSON",
    ),
    timeout_seconds: described(
      field(v.pipe(v.number(), v.minValue(1), v.maxValue(60))),
      `Until the answer is there (default ${changeDefaults.timeout_seconds})`,
    ),
    before: described(
      field(v.boolean()),
      "Whether it is asked before the first wave, too (default true): what does not hold then proves nothing",
    ),
  }),
);
export type ChangeQuestion = v.InferOutput<typeof question>;

/** Members of `strategy`. */
export const gatesOfStrategy = {
  questions: described(
    field(v.pipe(v.array(question), v.maxLength(gateLimits.questions))),
    "Questions to HTTP servers, before the first wave and after each",
  ),
  inconclusive_seconds: described(
    field(v.pipe(v.number(), v.minValue(0), v.maxValue(3_600))),
    `How long an inconclusive question is asked again before the change pauses (default ${changeDefaults.inconclusive_seconds})`,
  ),
};

/** For the process that evaluates the expression. */
const evaluateMs = 10_000;

/** Until the answer must be there. */
export const answerMs = ({ timeout_seconds }: ChangeQuestion): number =>
  (timeout_seconds ?? changeDefaults.timeout_seconds) * 1_000;

/** Until it must be evaluated, too. */
export const questionMs = (asked: ChangeQuestion): number => answerMs(asked) + evaluateMs;

export const inconclusiveSeconds = (
  strategy: { readonly inconclusive_seconds?: number | null | undefined } | null | undefined,
): number => strategy?.inconclusive_seconds ?? changeDefaults.inconclusive_seconds;

/** What the gates said last. */
export const judgement = named(
  "ChangeJudgement",
  v.object({
    wave: described(integer, "The wave that was judged; 0: before the first"),
    attempt: described(integer, "Counts how often it was judged from the beginning: after each `resume`"),
    at: moment,
    verdict: gateVerdict,
    gates: v.array(
      v.object({
        gate: described(text, "`sentinels 1` and so on, or the name of a question"),
        verdict: gateVerdict,
        reason: text,
      }),
    ),
  }),
);
export type Judgement = Unchanged<v.InferOutput<typeof judgement>>;
