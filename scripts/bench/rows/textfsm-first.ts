/**
 * The row `textfsm-first`: recorded outputs, each template used for the first time in a new process, next to
 * Python's TextFSM.
 */
import { runOwnCold, runPythonCold } from "../templates-run.ts";
import { makeWork } from "../templates-work.ts";
import type { SpeedRow } from "./row.ts";

export default {
  name: "textfsm-first",
  title: "TextFSM: 1,057 outputs by 663 templates, first use in a new process (CPU)",
  unit: "s",
  better: "less",
  // The goal of 0.75 s is for the whole set of 1,935 outputs; 1,057 of them are recorded here.
  goal: 0.41,
  async measure({ quick }) {
    const work = makeWork("textfsm");
    const own = least(Array.from({ length: quick ? 3 : 7 }, () => runOwnCold("textfsm", work)));
    const python = Array.from({ length: quick ? 1 : 3 }, () => runPythonCold("textfsm", work));
    const [first] = python;
    const name = `Python's ${first?.library}`;
    return {
      value: own,
      ...(first && {
        floor: { name, value: least(python.map((one) => one?.ms ?? Number.POSITIVE_INFINITY)) },
      }),
    };
  },
} satisfies SpeedRow;

/** The minimum in seconds, because other load on the machine only adds time. */
function least(ms: readonly number[]): number {
  return Math.round(Math.min(...ms)) / 1000;
}
