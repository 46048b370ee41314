/** Checks of a job, as OpenAPI describes them. */
import { type CheckReport, type CheckResult, undoWays } from "../model/checks.ts";
import { boolean, listOf, orNull, record, refTo, text } from "./openapi-schema.ts";

const known = { anyOf: [boolean, { const: "unknown" }] };

const result = record<CheckResult>(
  {
    name: text,
    command: text,
    ok: { ...orNull(boolean), description: "Null: it was not judged; `message` says why" },
    value: { description: "What was found: a value, a text that matched, or whether the text is there" },
    expected: { description: "What the request expects" },
    message: text,
    output: { ...text, description: "The beginning of what the device said" },
  },
  ["name", "output"],
);

const report = record<CheckReport>({
  before: listOf(refTo("CheckResult")),
  after: listOf(refTo("CheckResult")),
  pushed: { ...known, description: "Whether the lines went to the device" },
  undone: { ...known, description: "Whether they were taken back" },
  how: { type: "string", enum: undoWays, description: "How a push is taken back there" },
  message: text,
});

export const checkSchemas = { CheckResult: result, JobChecks: report };
