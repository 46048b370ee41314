/** OpenAPI schemas of the checks of a job. */
import { type CheckReport, type CheckResult, undoWays } from "../api/checks.ts";
import { boolean, listOf, orNull, record, refTo, text } from "./openapi-schema.ts";

const booleanOrUnknown = { anyOf: [boolean, { const: "unknown" }] };

const result = record<CheckResult>(
  {
    name: text,
    command: text,
    ok: { ...orNull(boolean), description: "Null: not evaluated; `message` says why" },
    value: { description: "Actual value: a value, the text that matched, or whether the text is present" },
    expected: { description: "Value expected by the request" },
    message: text,
    output: { ...text, description: "Beginning of the output" },
  },
  ["name", "output"],
);

const report = record<CheckReport>({
  before: listOf(refTo("CheckResult")),
  after: listOf(refTo("CheckResult")),
  pushed: { ...booleanOrUnknown, description: "Whether the lines were sent to the device" },
  undone: { ...booleanOrUnknown, description: "Whether they were rolled back" },
  how: { type: "string", enum: undoWays, description: "Rollback method for this device" },
  message: text,
});

export const checkSchemas = { CheckResult: result, JobChecks: report };
