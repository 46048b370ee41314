/** The places of encrypted values: a value decrypts only in its own table, row and field. */
import type { SealPlace } from "../../cipher.ts";

function place(table: string, field: string) {
  return (row: string): SealPlace => ({ table, row, field });
}

export const seals = {
  payload: place("jobs", "payload"),
  result: place("jobs", "result"),
  asked: place("jobs", "asked"),
  request: place("jobs", "request"),
  kept: place("jobs", "kept"),
  bulkKept: place("bulks", "kept"),
  retryPayload: place("jobs", "retry_payload"),
  note: place("bulks", "note"),
  transcript: place("transcripts", "content"),
  auditAsked: place("audit", "asked"),
  sent: place("jobs", "sent"),
  hook: place("deliveries", "hook"),
  webhook: place("webhooks", "content"),
  detached: place("detached_tasks", "payload"),
  detachedAsked: place("detached_tasks", "asked"),
  credential: place("credentials", "secret"),
  inventoryDevice: place("inventory_devices", "own"),
  inventoryGroup: place("inventory_groups", "own"),
  deviceFacts: place("device_facts", "facts"),
  scheduleRequest: place("schedules", "request"),
  check: place("meta", "check"),
  answer: place("idempotency", "answer"),
} as const;
