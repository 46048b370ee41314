/** API records of a source and its runs. */
import * as v from "valibot";
import { readRun, type SourceRecord } from "../api/inventory-source.ts";
import type { StoredSource } from "../store/port.ts";

const ownShape = v.looseObject({ name: v.string() });

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
