/** A change and one of its devices, as the API shows them. */
import { targetStates } from "../../../src/api/changes/change.ts";

const at = "2026-01-31T08:00:00+00:00";
const targets = { ...Object.fromEntries(targetStates.map((state) => [state, 0])), pushed: 1 };

export const changeRecordFixture = {
  ...{ id: "c1", name: "ntp", state: "paused", reason: "x", revision: 1, hash: "x", ticket: "CHG-1" },
  ...{ submitted_by: { kind: "key", name: "k" }, created_at: at, started_at: at, ended_at: null },
  ...{ expires_at: null, wave: 1, waves: [1], phase: "gate", due_at: null, waits_for_you: true },
  ...{ approvals: { needed: 1, given: 0 }, targets, request: {}, groups: [], votes: [], by_wave: [targets] },
  ...{ not_returnable: 0, not_returnable_because: [], warnings: [], bulks: [] },
};

export const changeTargetFixture = {
  ...{ device: "sw1", host: "192.0.2.1", wave: 1, state: "pushed", reason: null, sha256: "x" },
  ...{ before_version: 1, after_version: 2, returnable: true, job_id: "j1", return_job_id: null },
};
