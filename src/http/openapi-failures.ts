/** Answers that are no success, as OpenAPI describes them. */
import { jobStatuses } from "../model/job.ts";
import { integer, listOf, number, refTo, text, texts } from "./openapi-schema.ts";

const failure = {
  type: "object",
  required: ["code", "message", "data"],
  properties: {
    code: { type: "integer", const: -1 },
    message: text,
    data: {
      description:
        "A text, or an object with the kind of the error and details; why a service is not ready is a list",
      anyOf: [text, refTo("FailureDetail"), texts],
    },
  },
};

const failureDetail = {
  type: "object",
  required: ["type"],
  properties: {
    type: { ...text, description: "The kind of the error" },
    template_error: { ...text, description: "What is wrong in a template" },
    line: { ...integer, description: "Of the template" },
    retry_after: { ...number, description: "Seconds" },
  },
  additionalProperties: true,
};

const unexpected = {
  type: "object",
  required: ["code", "message", "data"],
  properties: {
    code: { type: "integer", const: -1 },
    message: text,
    data: {
      type: "object",
      required: ["error_id"],
      properties: { error_id: { ...text, description: "Finds it in the log" } },
    },
  },
};

/** The request is right, and what it is about forbids it. */
const refusal = {
  type: "object",
  required: ["code", "message", "data"],
  properties: {
    code: { type: "integer", const: -1 },
    message: text,
    data: {
      description: "A text where there is no more to say than the message",
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
              description: "What a server that was asked answered, such as `ConnectionRefused`",
            },
          },
        },
      ],
    },
  },
};

const invalid = {
  type: "object",
  required: ["code", "message", "data"],
  properties: {
    code: { type: "integer", const: -1 },
    message: { type: "string", const: "Validation Error" },
    data: listOf({
      type: "object",
      required: ["path", "message"],
      properties: {
        path: { ...text, description: "For example `connection_args.host`." },
        message: text,
        received: { ...text, description: "The kind of what was given, never the value." },
      },
    }),
  },
};

export const failureSchemas = {
  Failure: failure,
  FailureDetail: failureDetail,
  UnexpectedFailure: unexpected,
  Refusal: refusal,
  ValidationFailure: invalid,
};
