/** Places with untrusted text on the pages of changes: names, lines, reasons, notes of votes, and what happened. */
import {
  changeRecordFixture as change,
  changeTargetFixture as target,
} from "../../http/doubles/change-records.ts";
import { at, one, type View } from "./console-place.ts";

const events = { "/change/events": { events: [] }, "/change/c1/events": { events: [] } };

export const changeViews: readonly View[] = [
  {
    address: "change",
    places: ["name", "ticket", "author"],
    answers: (hostile) => ({
      ...events,
      "/change": one({
        ...{ ...change, name: hostile("name"), ticket: hostile("ticket") },
        submitted_by: { kind: "key", name: hostile("author") },
      }),
    }),
  },
  {
    address: "change/c1",
    places: [
      ...["name", "reason", "ticket", "note", "lines", "first device", "why not", "lost device", "warning"],
      ...["selector", "voter", "note of a vote", "device", "reason of a device", "step", "detail"],
    ],
    answers: (hostile) => ({
      ...events,
      "/change/c1": {
        data: {
          ...{ ...change, name: hostile("name"), reason: hostile("reason"), ticket: hostile("ticket") },
          request: { name: "x", select: hostile("selector"), note: hostile("note") },
          groups: [
            { sha256: "x", lines: hostile("lines"), devices: 1, first_devices: [hostile("first device")] },
          ],
          not_returnable: 1,
          not_returnable_because: [
            { reason: hostile("why not"), devices: 1, first_devices: [hostile("lost device")] },
          ],
          warnings: [hostile("warning")],
          sentinels: [],
          judged: null,
          rehearsal: {
            ...{ bulk_id: "b2", at: "2026-11-29T10:00:00Z", revision: 1, hash: "x", stale: false },
            ...{ devices: 1, rehearsed: 1, refusing: 1, grades: { seen: 3, unknown: 1, locks_out: 1 } },
          },
          votes: [
            {
              ...{ person: hostile("voter"), verdict: "reject", revision: 1, hash: "x" },
              ...{ note: hostile("note of a vote"), at },
            },
          ],
        },
      },
      "/change/c1/target": one({
        ...{ ...target, device: hostile("device"), reason: hostile("reason of a device") },
      }),
      "/change/c1/step": one({ n: 1, at, what: hostile("step"), who: null, detail: hostile("detail") }),
    }),
  },
];
