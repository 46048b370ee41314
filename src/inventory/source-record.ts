/** A source and its runs as the API shows them. */
import * as v from "valibot";
import { runStates, type SourceRecord, type SourceRun } from "../model/inventory-source.ts";
import type { StoredSource } from "../store/port.ts";

const count = v.nullable(v.number());
const runShape = v.object({
  status: v.picklist(runStates),
  started_at: v.string(),
  ended_at: v.string(),
  by: v.string(),
  dry_run: v.boolean(),
  added: count,
  changed: count,
  removed: count,
  unchanged: count,
  error: v.nullable(v.string()),
});
const ownShape = v.looseObject({ name: v.string() });

export function readRun(value: unknown): SourceRun {
  return v.parse(runShape, value);
}

export function shownSource(
  { own, changedAt, runs }: StoredSource,
  iso: (ms: number) => string,
): SourceRecord {
  return {
    ...v.parse(ownShape, JSON.parse(own)),
    changed_at: iso(changedAt),
    runs: runs.map((run) => readRun(JSON.parse(run))),
  };
}
