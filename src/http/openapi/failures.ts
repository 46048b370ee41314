/** OpenAPI schemas of error answers. */
import { jobStatuses } from "../../api/jobs/job.ts";
import { integer, listOf, number, refTo, text, texts } from "./schema.ts";

/** The answer of every request that failed. */
const envelope = (data: object, message?: string) => ({
  type: "object",
  required: ["code", "message", "data"],
  properties: {
    code: { type: "integer", const: -1 },
    message: message === undefined ? text : { type: "string", const: message },
    data,
  },
});

const failure = envelope({
  description:
    "A text, or an object with the kind of error and details; for a service that is not ready, a list of reasons",
  anyOf: [text, refTo("FailureDetail"), texts],
});

const failureDetail = {
  type: "object",
  required: ["type"],
  properties: {
    type: { ...text, description: "Kind of error" },
    template_error: { ...text, description: "Fault in a template" },
    line: { ...integer, description: "Line of the template" },
    retry_after: { ...number, description: "Seconds" },
  },
  additionalProperties: true,
};

const unexpected = envelope({
  type: "object",
  required: ["error_id"],
  properties: { error_id: { ...text, description: "Identifies the error in the log" } },
});

/** The request is valid, but the state of its target does not allow it. */
const refusal = envelope({
  description: "A text if there are no further details",
  anyOf: [
    text,
    {
      type: "object",
      required: ["type"],
      properties: {
        type: { type: "string", const: "BusinessFailure" },
        id: text,
        status: { type: "string", enum: jobStatuses },
        reason: {
          ...text,
          description: "Error of the polled server, such as `ConnectionRefused`",
        },
      },
    },
  ],
});

const invalid = envelope(
  listOf({
    type: "object",
    required: ["path", "message"],
    properties: {
      path: { ...text, description: "Such as `connection_args.host`." },
      message: text,
      received: { ...text, description: "Type of the given value, never the value itself." },
    },
  }),
  "Validation Error",
);

export const failureSchemas = {
  Failure: failure,
  FailureDetail: failureDetail,
  UnexpectedFailure: unexpected,
  Refusal: refusal,
  ValidationFailure: invalid,
};
