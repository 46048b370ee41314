/** What of a job goes into the ledger: work that may change a device, and what it sent. */

import { readPayload } from "../api/jobs/payload.ts";
import type { Payload } from "../api/jobs/request.ts";
import { ServiceError } from "../base/errors.ts";
import { isRecord } from "../base/json/members.ts";
import type { LedgerWork, SentWork } from "../store/port.ts";
import type { Sent } from "./transcript.ts";

type Work = Pick<SentWork, "kind" | "credential" | "transfer">;

/** Undefined: it only reads. */
export function workOf(payload: Payload): Work | undefined {
  const credential = payload.credential?.name;
  const kind = kindOf(payload);
  if (kind !== "transfer") return kind && { kind, credential };
  const { local_path, remote_path } = uploadOf(payload) ?? {};
  return { kind, credential, transfer: { local_path: String(local_path), remote_path: String(remote_path) } };
}

function kindOf(payload: Payload): LedgerWork | undefined {
  if (payload.detached !== undefined) return "task";
  if (payload.operation === "config") return "push";
  return uploadOf(payload) === undefined ? undefined : "transfer";
}

/** All drivers name a file transfer alike. */
function uploadOf({ driverArgs }: Payload): Record<string, unknown> | undefined {
  const { file_transfer: asked } = driverArgs;
  return isRecord(asked) && asked.operation === "upload" ? asked : undefined;
}

/** Of a job whose worker was lost: what it sent to a device was discarded there. A payload that is damaged is not one. */
export function isRehearsal(text: string | undefined): boolean {
  try {
    return readPayload(text).rehearsal !== undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}

/** Of a job whose worker was lost. A payload that is damaged does not tell what else it would have done. */
export function workOfStored(text: string | undefined, operation: Payload["operation"]): Work | undefined {
  try {
    return workOf(readPayload(text));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return operation === "config" ? { kind: "push" } : undefined;
  }
}

/** With what was sent, for the end of the job. */
export function sentWork(work: Work, { transcript, lines }: Sent, checks?: string) {
  return { transcript, work: { ...work, lines, sha256: transcript.sha256, checks } };
}
