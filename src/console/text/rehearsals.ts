/** What is said of rehearsals. */

import type { evidenceSources } from "../../api/rehearsal/rehearsal.ts";
import { counted } from "./counted.ts";

export const textOfRehearsals = {
  title: "Rehearsal",
  lines: "Lines with their grades",
  cut: "These are the worst of the lines.",
  diff: "Would change",
  deviceDiff: "Would change, as the device itself says",
  reverse: "Takes it back (proven)",
  reverseNotProven: "Takes it back (not proven)",
  predicted: "The configuration afterwards",
  from: {
    device: "checked by the device",
    record: "record of pushes",
    configuration: "its configuration",
    rules: "rules of the system",
    session: "the way that we come by",
    none: "none",
  } satisfies Record<(typeof evidenceSources)[number], string>,
  accepted: (times: number) => `${times} accepted`,
  refused: (times: number) => `${times} refused`,
  last: (day: string) => `last on ${day}`,
  notAsked: ({ what, why }: { readonly what: string; readonly why: string }) => `${what} not asked: ${why}`,
  unknownLines: (count: number) => `${counted(count, "line")} that the twin knows nothing of`,
  unknownLine: (line: number, why: string) => `line ${line}: ${why}`,
  rehearse: "Rehearse",
  again: "Rehearse again",
  never: "Nothing is known of its lines before somebody says Rehearse. Nothing is pushed by it.",
  stale: (revision: number) => `The rehearsal was of revision ${revision}: the plan is another one since.`,
  of: (rehearsed: number, devices: number) => `${rehearsed} of ${devices} devices are rehearsed.`,
  refusals: (lines: number) => `${counted(lines, "line")} probably refused`,
  refusing: (devices: number) => `${counted(devices, "device")} would probably refuse lines.`,
  bulk: "its jobs",
} as const;
