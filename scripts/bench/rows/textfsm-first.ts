/** The row `textfsm-first`: recorded outputs, each template for the first time in a new process, beside Python's TextFSM. */
import { runOwnCold, runPythonCold } from "../templates-run.ts";
import { makeWork } from "../templates-work.ts";
import type { SpeedRow } from "./row.ts";

export default {
  name: "textfsm-first",
  title: "TextFSM: 1,057 outputs by 663 templates, first use in a new process (CPU)",
  unit: "s",
  better: "less",
  // The goal of 0.75 s is of the whole set of 1,935 outputs; those recorded here are 1,057 of them.
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

/** Seconds of the least of several in milliseconds: what others do on the machine only adds. */
function least(ms: readonly number[]): number {
  return Math.round(Math.min(...ms)) / 1000;
}
