/** Detached tasks: started by a job and polled later; output is returned in pieces with secrets masked. */
import { ServiceError } from "../base/errors.ts";
import type {
  Context,
  Detached,
  DetachedRef,
  DetachedStatus,
  DetachedWork,
  Outputs,
  Session,
} from "../plugin/index.ts";
import type {
  ConfigureTask,
  DetachedPiece,
  DetachedTask,
  DetachedValue,
  QueryTask,
} from "../protocol/task.ts";
import type { TaskMask } from "./masking.ts";

/** Reread before each piece, in case a secret began there. */
const leadBytes = 16 * 1024;

/** @returns the task's id as the only output of its job. */
export async function startDetached(
  session: Session,
  task: QueryTask | ConfigureTask,
  id: string,
  args: unknown,
  ctx: Context,
): Promise<Outputs> {
  const work: DetachedWork<unknown, unknown> =
    task.kind === "query"
      ? { operation: "query", commands: task.commands, args }
      : { operation: "configure", lines: task.lines, args };
  const command = await detachedOf(session, task.driver).start(id, work, ctx);
  return [{ command, output: { task_id: id } }];
}

export async function lookDetached(
  session: Session,
  task: DetachedTask,
  args: unknown,
  ctx: Context,
  mask: TaskMask,
): Promise<DetachedValue> {
  const { id, operation, action } = task;
  const detached = detachedOf(session, task.driver);
  const ref: DetachedRef<unknown, unknown> = { id, operation, args };
  switch (action.do) {
    case "remove":
      await detached.remove(ref, ctx);
      return { found: null };
    case "stop":
      return { found: { ...factsOf(await detached.stop(ref, ctx)), output: "", nextOffset: 0 } };
    case "look": {
      const { offset, maxBytes } = action;
      const lead = Math.min(leadBytes, offset);
      const range = { offset: offset - lead, maxBytes: lead + maxBytes };
      const { output, ...status } = await detached.look(ref, range, ctx);
      const complete = status.state !== "running" && offset - lead + output.length >= status.size;
      return { found: { ...factsOf(status), ...pieceOf(output, { offset, lead, whole: complete }, mask) } };
    }
  }
}

function detachedOf(session: Session, driver: string): Detached {
  if (session.detached) return session.detached;
  throw new ServiceError("DriverError", `The sessions of the driver ${driver} have no \`detached\`.`, {
    outcome: "none",
  });
}

/** Drops extra members that a driver adds. */
function factsOf({ state, exitStatus, startedAt, endedAt, size }: DetachedStatus): DetachedStatus {
  return { state, exitStatus, startedAt, endedAt, size };
}

/** @param whole the output ends here. */
export function pieceOf(
  output: Uint8Array,
  { offset, lead, whole }: { offset: number; lead: number; whole: boolean },
  mask: Pick<TaskMask, "text" | "unfinished">,
): DetachedPiece {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const body = bytes.subarray(lead);
  const end = whole ? body.length : body.length - cutCharacter(body);
  const text = body.toString("utf8", 0, end);
  const before = bytes.toString("utf8", 0, Math.min(lead, bytes.length));
  const unfinishedBefore = before.slice(before.length - mask.unfinished(before));
  const held = whole ? 0 : mask.unfinished(unfinishedBefore + text);
  // A possible beginning of a secret is held back and reread with the next piece.
  const released = held > text.length ? text : text.slice(0, text.length - held);
  const clean = mask.text(unfinishedBefore + released);
  return {
    output: clean.startsWith(unfinishedBefore) ? clean.slice(unfinishedBefore.length) : clean,
    nextOffset: offset + end - Buffer.byteLength(text.slice(released.length)),
  };
}

/** Number of bytes at the end that are an incomplete character. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
