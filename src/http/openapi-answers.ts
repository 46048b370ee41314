/** Response schemas; their keys are checked against the record types at compile time. */

import {
  type JobRecord,
  type JobTicket,
  jobStatuses,
  operations,
  priorities,
  type WebhookState,
} from "../api/job.ts";
import type { TranscriptRecord } from "../api/transcript.ts";
import type { BulkAnswer, TestAnswer } from "../jobs/port.ts";
import { checkSchemas } from "./openapi-checks.ts";
import { failureSchemas } from "./openapi-failures.ts";
import {
  anyObject,
  boolean,
  dryRun,
  integer,
  listOf,
  moment,
  number,
  orNull,
  record,
  refTo,
  submitter,
  text,
  texts,
} from "./openapi-schema.ts";

const warnings = {
  ...texts,
  description: "Ignored arguments, rejected commands, and other conditions that did not fail the job.",
};

const ticket = record<JobTicket>(
  {
    id: text,
    status: { type: "string", enum: jobStatuses },
    queue: text,
    created_at: moment,
    dry_run: dryRun,
    warnings,
  },
  ["dry_run", "warnings"],
);

const webhookState = record<WebhookState>({
  status: { type: "string", enum: ["pending", "delivered", "failed"] },
  attempts: listOf({
    type: "object",
    required: ["at", "status"],
    properties: { at: moment, status: orNull(integer), error: text },
  }),
  next_attempt_at: orNull(moment),
});

const job = record<JobRecord>(
  {
    id: text,
    status: { type: "string", enum: jobStatuses },
    held: {
      const: true,
      description:
        "The job waits for a release or a time; its status shows as `queued` unless `held` is requested",
    },
    queue: { ...text, description: "`fifo` or `pinned_<host>`" },
    driver: text,
    host: text,
    device_type: orNull(text),
    operation: { type: "string", enum: operations },
    dry_run: dryRun,
    submitted_by: submitter,
    created_at: moment,
    enqueued_at: moment,
    started_at: orNull(moment),
    ended_at: orNull(moment),
    duration: orNull({ ...number, description: "Seconds" }),
    queue_time: orNull({ ...number, description: "Seconds" }),
    worker: orNull(text),
    attempt: integer,
    result: orNull(refTo("JobResult")),
    checks: refTo("JobChecks"),
    command: { description: "The request, without secrets; lists show its first line." },
    config: { description: "The request, without secrets; lists show its first line." },
    request: {
      type: "object",
      required: ["length", "sha256"],
      properties: {
        length: { ...integer, description: "Bytes of the lines" },
        sha256: text,
        cut: { const: true, description: "The record shows less than that" },
      },
    },
    label: text,
    ticket: text,
    note: text,
    tags: texts,
    priority: { type: "string", enum: priorities },
    waits_for: {
      type: "object",
      required: ["reason", "position", "queue"],
      properties: {
        reason: { type: "string", enum: ["turn", "host", "not_before", "window", "concurrency", "held"] },
        position: { ...integer, description: "Among the jobs that wait for the same reason, from 1" },
        queue: text,
        host: text,
        until: moment,
      },
      description: "Only of a waiting job, with `?id=`",
    },
    device: { ...text, description: "The inventory device that the job was submitted for" },
    bulk_id: text,
    error_type: { ...text, description: "Only of a failed job: the type of its error" },
    not_before: { ...moment, description: "Earliest start time" },
    retry_of: { ...text, description: "Id of the job that this one retries" },
    warnings,
    webhook: webhookState,
    progress: {
      type: "object",
      required: ["bytes_transferred", "total_bytes"],
      properties: { bytes_transferred: integer, total_bytes: integer },
      description: "Of a file transfer, while the job runs on the node that answers",
    },
  },
  [
    "held",
    "dry_run",
    "checks",
    "command",
    "config",
    "request",
    "label",
    "ticket",
    "note",
    "tags",
    "priority",
    "waits_for",
    "device",
    "bulk_id",
    "error_type",
    "not_before",
    "retry_of",
    "warnings",
    "webhook",
    "progress",
  ],
);

const jobResult = {
  type: "object",
  required: ["type", "retval", "error"],
  properties: {
    type: { type: "string", enum: ["success", "failed"] },
    retval: orNull({ ...anyObject, description: "Each command with its output or parsed data." }),
    error: orNull({
      type: "object",
      required: ["type", "message"],
      properties: {
        type: text,
        message: text,
        command: text,
        matched: { ...text, description: "Device output that matched an error pattern" },
        prompt: { ...text, description: "Device prompt at that moment" },
        outcome: {
          const: "unknown",
          description: "Something may have reached the device, and its completion was not seen.",
        },
        sent: { ...texts, description: "With `outcome`: the lines that may have reached the device" },
        confirmed: { ...text, description: "With `outcome`: the last line whose response was seen" },
        unsent: {
          ...texts,
          description: "After a line that left configuration mode: lines not sent",
        },
        taken: { ...texts, description: "Of pipelined lines: the accepted ones before the rejected one" },
        ahead: {
          type: "array",
          description: "Of pipelined lines: those after the rejected one",
          items: {
            type: "object",
            required: ["line"],
            properties: {
              line: text,
              taken: { type: "boolean", description: "Absent: the response was not seen" },
              output: text,
            },
          },
        },
      },
    }),
    compared: {
      ...boolean,
      description: "Only of a dry run: whether the device compared the lines; false: they were only returned",
    },
    partial: {
      const: true,
      description: "Some members of `retval` are `{error: {type, message}}`; the others succeeded.",
    },
  },
};

const testAnswer = record<TestAnswer>(
  {
    success: boolean,
    connection_time: orNull(number),
    error_message: orNull(text),
    device_info: orNull({ type: "object", additionalProperties: text }),
    timestamp: moment,
    warnings,
  },
  ["warnings"],
);

const bulkAnswer = record<BulkAnswer>(
  {
    succeeded: listOf(refTo("JobTicket")),
    failed: { ...texts, description: "Hosts whose job could not be submitted." },
    failed_jobs: listOf(
      record<BulkAnswer["failed_jobs"][number]>({ device: text, host: text, id: text, reason: text }, [
        "device",
      ]),
    ),
    bulk_id: text,
    retry_of: { ...text, description: "The bulk that this one retries." },
    warnings,
  },
  ["retry_of", "warnings"],
);

const transcript = record<TranscriptRecord>(
  {
    id: { ...text, description: "Of the job" },
    host: text,
    ended_at: moment,
    lines: { ...texts, description: "As rendered, with secrets masked" },
    dialogue: orNull({ ...text, description: "What the device answered; null if the worker was lost" }),
    difference: { ...text, description: "The difference that the device itself made of the lines" },
    cut: { const: true, description: "There were more lines" },
    sha256: { ...text, description: "Of the lines and the dialogue, joined by line breaks" },
  },
  ["difference", "cut"],
);

export const answerSchemas = {
  JobTicket: ticket,
  Job: job,
  Transcript: transcript,
  JobResult: jobResult,
  BulkAnswer: bulkAnswer,
  ...checkSchemas,
  TestAnswer: testAnswer,
  ...failureSchemas,
};

/** Optional members beside `data` in the answer for a template. */
export const templateWarnings = {
  warnings: { ...texts, description: "Likely mistakes in the template." },
};

/** The envelope around `data`. */
export function envelope(data: object, beside: object = {}): object {
  return {
    type: "object",
    required: ["code", "message", "data"],
    properties: { code: { type: "integer", const: 200 }, message: text, data, ...beside },
  };
}
