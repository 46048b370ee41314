/** Schema of time windows of inventory groups and schedules. */
import * as v from "valibot";
import { windowProblem } from "../base/time/maintenance-windows.ts";

export const windowText = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? windowProblem(dataset.value) : undefined;
    if (problem !== undefined) addIssue({ message: problem });
  }),
);
