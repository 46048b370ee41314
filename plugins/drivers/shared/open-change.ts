/** What another session needs to end a push that was left open. */
import { type FoundRunning, PluginError } from "patchbay/plugin";
import * as v from "valibot";

const openMarks = v.object({
  /** Marks of the running configuration before the push and after it. */
  before: v.string(),
  after: v.string(),
  /** The device's name for the commit. */
  handle: v.exactOptional(v.string()),
});
export type OpenMarks = v.InferOutput<typeof openMarks>;

export const openText = (marks: OpenMarks): string => JSON.stringify(marks);

/** @throws PluginError DriverError: it is of another version */
export function readOpen(text: string): OpenMarks {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), openMarks), text);
  if (read.success) return read.output;
  throw new PluginError("DriverError", "What is stored of the open push cannot be read.", {
    outcome: "none",
  });
}

export function whichOf(now: string, { before, after }: OpenMarks): FoundRunning {
  if (now === before) return "before";
  return now === after ? "pushed" : "other";
}

export function notBefore(running: FoundRunning): PluginError {
  return running === "pushed"
    ? new PluginError("CommandError", "The push was not rolled back: it still runs.", { outcome: "none" })
    : new PluginError(
        "CommandError",
        "The push was rolled back, but what runs now is not what ran before it: somebody else has changed it.",
        { outcome: "unknown" },
      );
}
